export const storeKinds = ['lowdb', 'sqlite', 'postgres'] as const;
export type StoreKind = (typeof storeKinds)[number];

/** The kinds whose disk can fail under the host. */
export const diskStoreKinds = ['lowdb', 'sqlite'] as const satisfies readonly StoreKind[];
