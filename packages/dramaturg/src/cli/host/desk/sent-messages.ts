import type { OutgoingMessage } from '@dramaturg/host';
import type { Output } from '../../output.ts';
import { showOn, type Show } from './channels.ts';

/** What instances say while a command runs: shown at once, or kept for the JSON at the end. */
export class Messages {
  readonly said: OutgoingMessage[] = [];
  readonly show: Show;

  constructor({ write }: Output, isJson: boolean) {
    const shown = showOn(write);
    this.show = (message) => {
      this.said.push(message);
      if (!isJson) shown(message);
    };
  }
}
