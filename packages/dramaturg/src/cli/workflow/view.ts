import type { EventObject, Json } from '@dramaturg/compiler';
import {
  failureLines,
  failureOfOutput,
  furtherFailures,
  type ItemFailures,
  standingFailure,
} from '@dramaturg/compiler/chart';
import type { workflow } from '@dramaturg/compiler/format';
import { fieldAt, type Question } from '@dramaturg/compiler/machine';
import { counted, visible } from '@dramaturg/compiler/text';
import { decisionTerms } from '../host/print/decision.ts';
import { jsonLine, type Output, visibleJson } from '../output.ts';
import { fitted } from '../view/paragraph.ts';

/** Shows the run of a workflow. */
export interface WorkflowView {
  readonly begin: (title: string) => void;
  /** @param depth how deep the workflow that emitted the event is nested */
  readonly see: (event: workflow.WorkflowEmitted, depth?: number) => void;
  /** Shows a question that a person must decide. */
  readonly ask: (question: Question) => void;
  /** Shows why a line is not a decision. */
  readonly refuse: (message: string, hint: string) => void;
  readonly prompt: () => string;
  /** @param output undefined when the run has not ended */
  readonly end: (output: workflow.WorkflowOutput | undefined, next: string) => void;
}

/** Prints every event as a line of JSON. */
export function jsonWorkflowView({ write }: Output): WorkflowView {
  const line = (value: object) => write(jsonLine(value));
  return {
    begin: () => {},
    see: (event, depth = 0) => line(depth === 0 ? event : { ...event, depth }),
    ask: (question) => line({ type: 'decision.asked', ...question }),
    refuse: (message, hint) => line({ type: 'decision.unreadable', because: message, hint }),
    prompt: () => '',
    end: (output) => {
      if (!output) line({ type: 'workflow.ended', status: 'unfinished' });
    },
  };
}

/**
 * Prints a line for every state that is entered, its output, and the outcome of the run. The states of a Map's items share a line.
 *
 * @param lineOf the line of a state in the definition
 */
export function traceView(
  output: Output,
  lineOf: (state: string) => number | undefined,
): WorkflowView {
  const { paint, width } = output;
  const items = new ItemsLine(output);
  let margin = '';
  /** The last state that has failed and has not been caught. */
  let failed: (workflow.StateFailed & { readonly depth?: number }) | undefined;
  let itemFailures: ItemFailures | undefined;
  /** The last question. */
  let asked: string | undefined;
  const write = (text: string) => {
    items.end(margin);
    output.write(margin === '' ? text : text.replace(/^(?=.)/gm, margin));
  };
  const at = (place: readonly number[] | undefined) =>
    place ? paint('dim', ` [${place.join('.')}]`) : '';
  const shown = (value: Json) => cut(visibleJson(JSON.stringify(value)), width() - 4);
  const line = (sign: string, text: string) => write(`${sign} ${text}\n`);
  /** Shows one of several required approvals, which only workflows of agents have. */
  const recorded = ({ type, by, decision, approvals, required }: EventObject) => {
    if (type !== 'decision.recorded') return;
    const said = visible(`${String(by)}: ${String(decision)}`);
    line(paint('green', '✓'), `${said}, ${String(approvals)} of ${String(required)}`);
  };
  return {
    begin: (title) => write(`\n${paint('bold', visible(title))}\n\n`),
    see(event, depth = 0) {
      margin = '  '.repeat(depth);
      const before = failed;
      failed = standingFailure(failed, event);
      if (failed && failed !== before) failed = { ...failed, depth };
      const { lines, items: counts } = failureLines(itemFailures, event);
      if (itemFailures && !counts)
        for (const text of furtherFailures(itemFailures))
          line(paint('yellow', '!'), `${visible(text)}.`);
      itemFailures = counts;
      switch (event.type) {
        case 'state.entered':
          if (event.place) return items.count(event.state, 'entered', margin);
          line(paint('cyan', '>'), `${visible(event.state)} ${paint('dim', event.kind ?? '')}`);
          if (event.kind === 'Map') items.clear();
          return;
        case 'state.exited':
          if (event.place) return items.count(event.state, 'left', margin);
          write(`  ${paint('dim', shown(event.output))}\n`);
          return;
        case 'decision.refused':
          line(paint('yellow', '!'), visible(event.because));
          return;
        case 'task.scheduled':
          line(paint('yellow', '?'), `waits for the token ${event.token}`);
          return;
        case 'task.retried':
          line(
            paint('yellow', '!'),
            `${event.place ? `${visible(event.state)}${at(event.place)}: ` : ''}${failureText(event)} Tries again in ${seconds(event.after)}.`,
          );
          return;
        case 'error.caught': {
          if (lines.length === 0) return;
          const from = before?.error === event.error ? before : event;
          const by = from.state === event.state ? '' : ` ${visible(event.state)} catches it.`;
          line(
            paint('yellow', '!'),
            `${visible(from.state)}${at(from.place)}: ${failureText(event)}${by} Continues with ${visible(event.next)}.`,
          );
          return;
        }
        default:
          recorded(event);
      }
    },
    ask(question) {
      margin = '';
      const isRepeated = asked !== undefined && asked === question.id;
      asked = question.id;
      const terms = termLines(question);
      const [first, ...rest] = isRepeated ? terms : questionLines(question);
      line(paint('yellow', '?'), first!);
      const dim = rest.length - (isRepeated ? 0 : terms.length);
      for (const [index, text] of rest.entries())
        write(text === '' ? '\n' : `  ${index < dim ? text : paint('dim', text)}\n`);
    },
    refuse(message, hint) {
      line(paint('yellow', '!'), `${message} ${hint}`);
    },
    prompt: () => `${paint('green', 'you')} `,
    end(result, next) {
      margin = '';
      write('\n');
      if (!result) line(paint('yellow', 'unfinished'), next);
      else if (result.status === 'succeeded') {
        write(
          `${paint('green', 'succeeded')}\n${visibleJson(JSON.stringify(result.output, null, 2))}\n`,
        );
      } else {
        const status = result.status === 'failed' ? 'failed' : 'timed out';
        failed = failureOfOutput(failed, result);
        // A called definition has lines of its own.
        const number = failed?.depth === 0 ? lineOf(failed.state) : undefined;
        const inLine = number === undefined ? '' : `, line ${number}`;
        const where = failed ? `in ${visible(failed.state)}${at(failed.place)}${inLine}: ` : '';
        write(`${paint('red', status)} ${where}${failureText(result)}\n`);
        if (result.error === 'States.ParameterPathFailure') write(`hint: ${missingHint}\n`);
      }
    },
  };
}

const missingHint = 'Give the path a value, or add --missing null: then paths to nothing are null.';

function failureText({ error, cause }: { error: string | null; cause: string | null }): string {
  const said = [error, cause].filter((part) => part !== null && part !== '');
  return said.length > 0
    ? `${visible(said.join(': '))}.`.replace(/([.?!])\.$/, '$1')
    : 'No reason is given.';
}

function seconds(milliseconds: number): string {
  const count = Math.round(milliseconds) / 1000;
  return counted(count, 'second');
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(width - 3, 0))}...`;
}

/** A question in lines: its prompt, the items of a batch, the fields that may be changed, and its terms. */
function questionLines(question: Question): readonly string[] {
  const { prompt, batch, editable = [], data } = question;
  return [
    ...prompt.split('\n').map((line) => visible(line)),
    ...(batch?.items.map((item, index) => `${index}: ${visibleJson(JSON.stringify(item))}`) ?? []),
    ...editable.map((path) => {
      const value = fieldAt(data, path);
      return `${visible(path)} = ${value === undefined ? 'nothing' : visibleJson(JSON.stringify(value))}`;
    }),
    ...termLines(question),
  ];
}

/** The terms of a question, and how to meet them in a line. */
function termLines(question: Question): readonly string[] {
  const { options, approvers, isNamed, isExplained, editable = [], batch, until } = question;
  const flags = [
    ...(isNamed || approvers ? ['--by NAME'] : []),
    ...(approvers && approvers.roles.length > 0 ? ['--role ROLE'] : []),
    ...(isExplained ? ['--comment WHY'] : []),
    ...(editable.length > 0 ? ['--edit FIELD=VALUE'] : []),
    ...(batch?.isDivisible ? ['--items 0,1'] : []),
  ];
  const shown = decisionTerms({ ...question, options: options.map(({ id }) => id) });
  const deadline = until === undefined ? '' : `; until ${new Date(until).toISOString()}`;
  return [
    `${visible(shown)}${deadline}`,
    ...(flags.length > 0 ? [`answer with: OPTION ${flags.join(' ')}`] : []),
  ];
}

interface Count {
  entered: number;
  left: number;
}

/** Milliseconds between two updates. */
const intervalMs = 50;

/**
 * One line for the states of all items of a Map: how many items have entered each, and how many have left it. On a terminal it is
 * rewritten while the items run; elsewhere it is written once, before the next line.
 */
export class ItemsLine {
  readonly #output: Output;
  readonly #counts = new Map<string, Count>();
  #isChanged = false;
  #shownAt = -Infinity;

  constructor(output: Output) {
    this.#output = output;
  }

  count(state: string, what: keyof Count, margin: string): void {
    const count = this.#counts.get(state) ?? { entered: 0, left: 0 };
    count[what] += 1;
    this.#counts.set(state, count);
    this.#isChanged = true;
    const now = performance.now();
    if (!this.#output.isTerminal || now - this.#shownAt < intervalMs) return;
    this.#shownAt = now;
    this.#show(margin);
  }

  /** Completes the line before another one is written. */
  end(margin: string): void {
    if (!this.#isChanged) return;
    this.#show(margin);
    this.#output.write('\n');
    this.#isChanged = false;
  }

  /** Forgets the items of the Map before. */
  clear(): void {
    this.#counts.clear();
  }

  #show(margin: string): void {
    const parts = [...this.#counts].map(([state, { entered, left }]) =>
      left < entered ? `${visible(state)} ${left} of ${entered}` : `${visible(state)} ${left}`,
    );
    const text = fitted(`items: ${parts.join(' · ')}`, this.#output.width() - margin.length - 3);
    const again = this.#output.isTerminal ? '\r\u001B[K' : '';
    this.#output.write(`${again}${margin}  ${this.#output.paint('dim', text)}`);
  }
}
