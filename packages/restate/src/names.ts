/** The names of the services of one namespace. A namespace is a tenant: two of them share nothing. */
export interface ServiceNames {
  /** A virtual object for each instance. Key: its id. */
  readonly instance: string;
  /** A virtual object for the line of each contact. Key: the contact in its canonical form. */
  readonly contact: string;
  /** A virtual object for each other record, such as a version of a definition or a save point. Key: its id. */
  readonly record: string;
}

export function namesIn(namespace: string): ServiceNames {
  return {
    instance: `${namespace}.instance`,
    contact: `${namespace}.contact`,
    record: `${namespace}.record`,
  };
}

/**
 * Options of all objects. By default Restate keeps the input and output of a handler for a day: possibly a whole conversation,
 * even after its erasure. Instances recognise repeated messages themselves.
 */
export const nothingRetained = { journalRetention: 0, idempotencyRetention: 0 } as const;
