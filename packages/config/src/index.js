// The public names. Their types and their promises are in index.d.ts.

export { parseDotenv } from "./dotenv.js";
export { explain } from "./explain.js";
export { snapshot } from "./snapshot.js";
export { watchConfig } from "./watch-config.js";
