/**
 * Options of all objects. By default Restate keeps the input and output of a handler for a day: possibly a whole conversation,
 * even after its erasure. Instances recognise repeated messages themselves.
 */
export const nothingRetained = { journalRetention: 0, idempotencyRetention: 0 } as const;
