/** How many messages are remembered. */
const messagesMax = 10_000;

/**
 * Remembers how many parts of a message a provider has accepted, so that a retry continues with the next part. The number is in
 * memory: after a crash, a provider that cannot recognise repetitions shows the parts again.
 */
export class SentParts {
  readonly #counts = new Map<string, number>();

  /** Sends the remaining parts of a message, one after another. */
  async sendRest(
    message: string,
    parts: readonly string[],
    send: (part: string, index: number) => Promise<void>,
  ): Promise<void> {
    for (let index = this.#counts.get(message) ?? 0; index < parts.length; index += 1) {
      await send(parts[index]!, index);
      this.#note(message, index + 1);
    }
  }

  #note(message: string, count: number): void {
    this.#counts.delete(message);
    this.#counts.set(message, count);
    if (this.#counts.size <= messagesMax) return;
    const [oldest] = this.#counts.keys();
    this.#counts.delete(oldest!);
  }
}
