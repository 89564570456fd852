// Tables of who may do what. Roles have no columns of their own.

import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "../types.ts";
import {
  ageColumn,
  type ColumnOf,
  column,
  type Named,
  nameColumn,
  type TableDefinition,
  tableOfColumns,
} from "./table-column.ts";

interface Binding extends Named {
  readonly roleRef?: RoleRef;
  readonly subjects?: readonly Subject[] | undefined;
}

export const roleBindingTable: TableDefinition<RoleBinding> = tableOfColumns<RoleBinding>(
  ...bindingColumns<RoleBinding>("roleBinding"),
);

export const clusterRoleBindingTable: TableDefinition<ClusterRoleBinding> =
  tableOfColumns<ClusterRoleBinding>(...bindingColumns<ClusterRoleBinding>("clusterRoleBinding"));

function bindingColumns<B extends Binding>(kind: string): readonly ColumnOf<B>[] {
  return [
    nameColumn(),
    column(
      "Role",
      "The role that is granted",
      ({ roleRef }) => `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`,
    ),
    ageColumn(),
    subjectColumn("Users", "User", kind),
    subjectColumn("Groups", "Group", kind),
    subjectColumn("ServiceAccounts", "ServiceAccount", kind),
  ];
}

function subjectColumn<B extends Binding>(name: string, kind: string, of: string): ColumnOf<B> {
  const shown = ({ namespace = "", name: subject }: Subject) =>
    kind === "ServiceAccount" ? `${namespace}/${subject}` : subject;
  return column(
    name,
    `${name} in the ${of}`,
    ({ subjects = [] }) =>
      subjects
        .filter((subject) => subject.kind === kind)
        .map(shown)
        .join(", "),
    { wide: true },
  );
}
