/** Wakes a host that waits. */
export class Bell {
  #wake: () => void = () => {};
  #hasRung = false;

  ring(): void {
    this.#hasRung = true;
    this.#wake();
  }

  /** Returns early when the bell rings, or has rung since the last wait. */
  async wait(ms: number): Promise<void> {
    if (this.#hasRung) ms = 0;
    this.#hasRung = false;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }
}
