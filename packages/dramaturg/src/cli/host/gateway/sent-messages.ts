import type { OutgoingMessage } from '@dramaturg/host';
import type { Output } from '../../output.ts';
import { showWith, type Show } from './channels.ts';

/** The messages that instances send while a command runs: shown immediately, or collected for the JSON at the end. */
export class SentMessages {
  readonly sent: OutgoingMessage[] = [];
  readonly show: Show;

  constructor({ write }: Output, isJson: boolean) {
    const shown = showWith(write);
    this.show = (message) => {
      this.sent.push(message);
      if (!isJson) shown(message);
    };
  }
}
