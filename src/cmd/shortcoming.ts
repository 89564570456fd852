// The message of what is said in the log for each thing that will not work on a machine.

export const SHORTCOMING = "feature missing";
