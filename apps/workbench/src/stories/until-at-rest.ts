/** Milliseconds without a change after which an element is at rest. An edited text is compiled after 250 ms. */
const restMs = 300;

/** The longest wait, in milliseconds, because some stories never rest. */
const giveUpAfterMs = 2_000;

/** Waits until an element no longer changes, for example until a worker has drawn a chart, or for two seconds. */
export async function untilAtRest(element: HTMLElement): Promise<void> {
  const giveUpAt = performance.now() + giveUpAfterMs;
  let changedAt = performance.now();
  const observer = new MutationObserver(() => (changedAt = performance.now()));
  observer.observe(element, {
    attributes: true,
    characterData: true,
    childList: true,
    subtree: true,
  });
  while (performance.now() < Math.min(changedAt + restMs, giveUpAt))
    await new Promise((resolve) => setTimeout(resolve, restMs / 10));
  observer.disconnect();
}
