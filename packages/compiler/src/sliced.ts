/** Work that yields where other work may run in between. */
export type Sliced<Value> = Generator<void, Value>;

/** How many nodes of a chart are worked on between two turns of the event loop: a few milliseconds. */
export const nodesPerSlice = 1_000;

/** Does the work without a pause. */
export function atOnce<Value>(work: Sliced<Value>): Value {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Does the work with a turn of the event loop between its slices. */
export async function runSliced<Value>(
  work: Sliced<Value>,
  nextTurn: () => Promise<void>,
): Promise<Value> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await nextTurn();
  }
}
