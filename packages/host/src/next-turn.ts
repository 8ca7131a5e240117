/** Resolves in the next turn of the event loop, when all ready promises have been handled. */
export const nextTurn: () => Promise<void> =
  typeof setImmediate === 'function' ? afterImmediate : afterMessage;

function afterImmediate(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Browsers have no `setImmediate`, and their nested `setTimeout` waits at least four milliseconds. */
function afterMessage(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener(
      'message',
      () => {
        port1.close();
        resolve();
      },
      { once: true },
    );
    port1.start();
    port2.postMessage(undefined);
  });
}
