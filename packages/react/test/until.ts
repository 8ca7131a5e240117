/** Fulfils once something holds that has to come by itself. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`It has not come to that: ${String(holds)}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
