export const storeKinds = ['lowdb', 'sqlite', 'postgres'] as const;

/** What keeps the instances: the store of a host of one process, or Restate with several processes. */
export type StoreKind = (typeof storeKinds)[number] | 'restate';

/** The kinds whose disk can fail under the host. */
export const diskStoreKinds = ['lowdb', 'sqlite'] as const satisfies readonly StoreKind[];
