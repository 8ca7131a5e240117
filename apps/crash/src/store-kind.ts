export const storeKinds = ['lowdb', 'sqlite', 'postgres'] as const;

/** The kind of store: that of a host in one process, or Restate with several processes. */
export type StoreKind = (typeof storeKinds)[number] | 'restate';

/** The kinds whose disk can fail under the host. */
export const diskStoreKinds = ['lowdb', 'sqlite'] as const satisfies readonly StoreKind[];
