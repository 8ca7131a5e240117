import type { Output } from '../output.ts';
import { visibleJson } from '../visible.ts';
import type { ConversationView } from './view.ts';

/** Prints every event as a line of JSON. The last one is always `conversation.ended`. */
export function jsonView({ write }: Output): ConversationView {
  const line = (value: object) => write(`${visibleJson(JSON.stringify(value))}\n`);
  return {
    begin: () => {},
    hear: () => {},
    see: line,
    cue: (state, options) => line({ type: 'understudy.cues', state, options }),
    say: () => {},
    prompt: () => '',
    end: ({ outcome, state, deliverables }) => {
      // For all other outcomes the machine has emitted this event.
      if (outcome === 'unfinished')
        line({ type: 'conversation.ended', outcome, state, deliverables });
    },
  };
}
