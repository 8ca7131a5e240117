import type { Json } from '@dramaturg/compiler';
import { visible, widthOf } from '@dramaturg/compiler/text';
import type { Output, Style } from '../output.ts';
import { fitted, paragraph, type Paragraph } from './paragraph.ts';
import { usageText } from './usage-text.ts';
import type { ConversationEvent, ConversationView, Ending } from './view.ts';

/** The column where the text begins, after the name of the speaker. */
const margin = 7;
const widest = 80;

/** Prints a conversation for people: who says what, and the events in between. */
export function stageView(output: Output): ConversationView {
  const { write, paint } = output;
  const titles = new Map<string, string>();
  /** The kind of the last output: a blank line separates it from anything but another note. */
  let above: 'nothing' | 'speech' | 'note' | 'rule' = 'nothing';
  let speaking: { readonly key: string; readonly paragraph: Paragraph } | undefined;
  /** The text of messages that was shown while they were generated, by the keys of their calls, until they are sent. */
  const shown = new Map<string, string>();

  const place = (kind: typeof above) => {
    fallSilent();
    if (above !== 'nothing' && !(above === 'note' && kind === 'note')) write('\n');
    above = kind;
  };
  const speaker = (name: string, style: Style) =>
    paint(style, name) + ' '.repeat(margin - name.length);
  const paragraphOf = (label: string, text: string, style?: Style) => {
    const whole = paragraph(output, label, label === '' ? 0 : margin, style);
    whole.say(text);
    whole.end();
  };
  const note = (sign: string, style: Style, text: string) => {
    place('note');
    paragraphOf(
      `${' '.repeat(margin - 2)}${paint(style, sign)} `,
      text,
      style === 'dim' ? style : undefined,
    );
  };
  const rule = (title: string) => {
    place('rule');
    const width = Math.min(output.width(), widest);
    const text = fitted(visible(title), width - 6);
    write(`${paint('dim', `── ${text} ${'─'.repeat(Math.max(0, width - 4 - widthOf(text)))}`)}\n`);
  };
  const fallSilent = () => {
    speaking?.paragraph.end();
    speaking = undefined;
  };
  const startSpeaking = (key: string) => {
    place('speech');
    speaking = { key, paragraph: paragraph(output, speaker('agent', 'cyan'), margin) };
    return speaking;
  };

  /** Whether all of a message was shown. A call may be repeated, and its key may differ from that of the message. */
  const takeShown = (text: string): boolean => {
    const whole = withoutSpace(text);
    const made = [...shown].find(([, part]) => whole !== '' && withoutSpace(part).endsWith(whole));
    if (made) shown.delete(made[0]);
    return made !== undefined;
  };

  const see: ConversationView['see'] = (event, turn) => {
    switch (event.type) {
      case 'message.sent':
        // The message was already shown while it was generated, unless its text has changed since.
        if (takeShown(event.text)) fallSilent();
        else {
          place('speech');
          paragraphOf(speaker('agent', 'cyan'), event.text);
        }
        return;
      case 'state.entered':
        titles.set(event.state, event.title);
        // The person does not notice these states, so they are notes.
        if ('as' in event && event.as !== 'action') note('·', 'dim', `${event.as} ${event.title}`);
        else rule(event.title || event.state);
        return;
      case 'deliverable.collected': {
        const { previous } = event;
        const mark = event.discovered ? ' (noticed)' : event.volunteered ? ' (said earlier)' : '';
        const how = event.unconfirmed ? ' (unconfirmed)' : mark;
        note('✓', previous === undefined ? 'green' : 'yellow', `${valueInWords(event)}${how}`);
        return;
      }
      case 'deliverable.volunteered':
        note('·', 'dim', `${valueInWords(event)}, for later`);
        return;
      case 'deliverable.withdrawn':
        note('·', 'yellow', `${event.deliverable} is forgotten`);
        return;
      case 'task.completed':
        note('·', 'dim', `task ${event.task} is done`);
        return;
      case 'task.started':
        note('·', 'dim', `${event.agent} begins the task ${event.task}`);
        return;
      case 'task.failed':
        note('✗', 'red', `task ${event.task} has failed: ${event.because ?? ''}`);
        return;
      case 'start.requested':
        note('·', 'dim', `${event.start} is started next; on a host, it would run`);
        return;
      case 'task.skipped':
        note('·', 'dim', `task ${event.task} is skipped`);
        return;
      case 'update.refused':
        note('!', 'yellow', `not recorded: ${event.because}`);
        return;
      case 'message.refused':
        note('!', 'yellow', `the message is refused: ${event.because}`);
        return;
      case 'help.requested': {
        const why = event.reason === undefined ? '' : `: ${event.reason}`;
        note(
          '!',
          'yellow',
          `the agent asks for a person${why}; on a host, the conversation would wait for one`,
        );
        return;
      }
      case 'turn.failed': {
        if (event.port === 'reply' && shown.size > 0)
          note('·', 'dim', 'the reply above is not whole, and does not count');
        shown.clear();
        const what =
          event.port === undefined ? 'the turn failed' : `the port "${event.port}" failed`;
        note('✗', 'red', `${what} (${event.code}): ${event.message}`);
        // A retry would reach the limit again.
        if (event.code !== 'port/limit-reached') note('·', 'dim', nextAfter(event, turn));
        return;
      }
      case 'tool.called':
        note(
          '·',
          'dim',
          `tool ${event.tool}${event.error === undefined ? '' : `: ${event.error}`}`,
        );
        return;
      case 'effect.triggered':
        note('·', 'dim', `effect ${event.event_name}`);
        return;
      case 'verdict.reached': {
        const { decision, score } = event;
        note('·', 'dim', `verdict: ${decision ?? 'follow up'}, score ${score}`);
        return;
      }
      case 'scenario.started':
        note('·', 'dim', `scenario ${event.title || event.machine}`);
        return;
      case 'scenario.completed':
        note('✓', 'green', `scenario ${event.machine} is completed: ${event.outcome}`);
        return;
      case 'followup.entered':
      case 'followup.left':
        note(
          '·',
          'dim',
          event.type === 'followup.entered' ? 'a follow-up begins' : 'the follow-up ends',
        );
        return;
      case 'answer.refused':
      case 'memory.recalled':
      case 'thought.added':
      case 'traversal.completed':
      case 'scenario.discarded':
      case 'score.changed':
      case 'variables.extracted':
      case 'summary.written':
      case 'usage.recorded':
      case 'conversation.ended':
        return;
    }
  };

  return {
    begin: ({ title, description, cast }) => {
      paragraphOf('', title, 'bold');
      if (description !== '') paragraphOf('', description, 'dim');
      if (cast !== undefined) paragraphOf('', cast, 'dim');
      above = 'rule';
    },
    hear: (part, key) => {
      const current = speaking?.key === key ? speaking : startSpeaking(key);
      shown.set(key, (shown.get(key) ?? '') + part);
      current.paragraph.say(part);
    },
    see,
    cue: (_, cues) => {
      const telling = cues.filter(({ words }) => words.length > 0);
      if (telling.length === 0) return;
      const leads = telling.map(
        ({ option, description, words }) => `${words.join(', ')} → ${nameOf(option, description)}`,
      );
      note('?', 'dim', `words that lead on: ${leads.join(' · ')}`);
    },
    say: (text, typed) => {
      shown.clear();
      if (typed) above = 'speech';
      else {
        place('speech');
        paragraphOf(speaker('you', 'green'), text);
      }
    },
    prompt: () => {
      place('speech');
      return speaker('you', 'green');
    },
    end: (ending) => {
      const headings: Record<string, string> = {
        completed: 'Completed',
        cancelled: 'Cancelled',
        unfinished: 'Not finished',
      };
      rule(headings[ending.outcome] ?? ending.outcome);
      write('\n');
      summary(output, ending, titles.get(ending.state) ?? ending.state);
    },
  };
}

/** The next steps of the person after a failed turn. A turn that cannot be retried keeps no message. */
function nextAfter(
  { unanswered }: Extract<ConversationEvent, { type: 'turn.failed' }>,
  turn: { readonly canRetry: boolean } | undefined,
): string {
  if (!turn?.canRetry) return 'Say it again, or say something else.';
  const kept = unanswered === undefined ? '' : 'Your message is kept. ';
  return `${kept}Press Enter to try again.`;
}

/** A value with its name, and the value that it replaces. */
function valueInWords({
  deliverable,
  value,
  previous,
}: Extract<ConversationEvent, { deliverable: string; value: unknown }>): string {
  const was = previous === undefined ? '' : `, before: ${JSON.stringify(previous)}`;
  return `${deliverable} = ${JSON.stringify(value)}${was}`;
}

/** Removes white space to compare texts, because lines may be broken differently. */
function withoutSpace(text: string): string {
  return text.replaceAll(/\s/gu, '');
}

/** The name of an option. An id that is only a number has no meaning for people, so the description is used. */
function nameOf(option: string, description: string): string {
  return /^[A-Za-z]?\d+$/.test(option) && description !== '' ? `"${description}"` : option;
}

/** Prints the collected values as a table, and the outcome of the conversation. */
function summary(output: Output, ending: Ending, stateTitle: string): void {
  const { write } = output;
  table(output, ending.deliverables);
  write('\n');
  lastWords(output, ending, stateTitle);
  if (ending.used) write(`  ${output.paint('dim', `Used: ${usageText(ending.used)}.`)}\n`);
}

function table(output: Output, deliverables: Readonly<Record<string, Json>>): void {
  const rows = Object.entries(deliverables).map(([key, value]) => [visible(key), value] as const);
  if (rows.length === 0) {
    output.write('  Nothing was collected.\n');
    return;
  }
  const widestKey = Math.max(...rows.map(([key]) => widthOf(key)));
  // Long keys are printed above their values.
  const beside = 2 + widestKey + 3 <= output.width() / 2;
  const indent = beside ? 2 + widestKey + 3 : 4;
  for (const [key, value] of rows) {
    const name = `  ${output.paint('dim', key)}`;
    const label = beside
      ? name + ' '.repeat(indent - 2 - widthOf(key))
      : `${name}\n${' '.repeat(indent)}`;
    const cell = paragraph(output, label, indent);
    cell.say(typeof value === 'string' ? value : JSON.stringify(value));
    cell.end();
  }
}

function lastWords(output: Output, { outcome, open, next }: Ending, stateTitle: string): void {
  const say = (label: string, text: string) => {
    const line = paragraph(output, label, 2);
    line.say(text);
    line.end();
  };
  const { paint } = output;
  if (outcome === 'completed') {
    say(`${paint('green', '✓')} `, `The conversation is completed. It ended in "${stateTitle}".`);
    return;
  }
  if (outcome === 'cancelled') {
    say(`${paint('yellow', '!')} `, `The conversation was cancelled in "${stateTitle}".`);
    return;
  }
  if (outcome !== 'unfinished') {
    say('  ', `The conversation ended with ${outcome} in "${stateTitle}".`);
    return;
  }
  if (stateTitle === '') {
    say(`${paint('yellow', '!')} `, 'The conversation has not begun.');
    return;
  }
  const wanted = open
    .map(({ name, required }) => (required ? name : `${name} (optional)`))
    .join(', ');
  say(
    `${paint('yellow', '!')} `,
    `The conversation stopped in "${stateTitle}".${wanted === '' ? '' : ` Still open: ${wanted}.`}`,
  );
  say('  ', next);
}
