import type { Output } from '../output.ts';
import { visibleJson } from '../visible.ts';
import type { ConversationView } from './view.ts';

/** Every event as a line of JSON, for other programs. The last one is always `conversation.ended`. */
export function lineView({ write }: Output): ConversationView {
  const line = (value: object) => write(`${visibleJson(JSON.stringify(value))}\n`);
  return {
    begin: () => {},
    hear: () => {},
    see: line,
    cue: (state, options) => line({ type: 'understudy.cues', state, options }),
    say: () => {},
    prompt: () => '',
    end: ({ outcome, state, deliverables }) => {
      // Of the other outcomes the machine has told by itself.
      if (outcome === 'unfinished')
        line({ type: 'conversation.ended', outcome, state, deliverables });
    },
  };
}
