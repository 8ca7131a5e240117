import { visible } from '@dramaturg/compiler/text';
import type { DecisionSummary } from '@dramaturg/host';
import { personAtTerminal } from '../conversation/terminal.ts';
import type { DecisionOptions } from '../decision.ts';
import { outputTo } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { writeDecision } from './print/decision.ts';

/** Asks one question after another. Rejects with a `UsageError` when the person leaves. */
export interface Questioner {
  /** Asks until an answer is valid. `wrong` says why one is not. */
  readonly ask: (label: string, wrong?: (answer: string) => string | undefined) => Promise<string>;
}

/** Whether a person can be asked: both ends of the process are a terminal, and no program reads the output. */
export function canAsk({ json }: { readonly json?: true }): boolean {
  return !json && process.stdin.isTTY && process.stdout.isTTY;
}

export async function withQuestioner<Result>(
  use: (questioner: Questioner) => Promise<Result>,
): Promise<Result> {
  const person = personAtTerminal(process.stdin, process.stdout, () => {});
  const { write, paint } = outputTo(process.stdout);
  try {
    return await use({
      ask: async (label, wrong = () => undefined) => {
        for (;;) {
          const answer = (await person.ask(`${paint('cyan', '?')} ${label}: `))?.trim();
          if (answer === undefined)
            throw new UsageError('No decision was made.', 'The decision is still open.');
          const because = answer === '' ? undefined : wrong(answer);
          if (because !== undefined) write(`${paint('yellow', '!')} ${visible(because)}\n`);
          else if (answer !== '') return answer;
        }
      },
    });
  } finally {
    person.leave();
  }
}

/** Lets the person choose one of several open decisions by its number. */
export async function askWhichDecision(
  { ask }: Questioner,
  open: readonly DecisionSummary[],
): Promise<DecisionSummary> {
  const [only] = open;
  if (open.length === 1) return only!;
  const output = outputTo(process.stdout);
  for (const [index, decision] of open.entries())
    output.write(`${index + 1}. ${visible(decision.decision)}: ${visible(decision.prompt)}\n`);
  const numbered = (answer: string) => open[Number(answer) - 1];
  const answer = await ask('Which one', (given) =>
    numbered(given) ? undefined : `Expected a number from 1 to ${open.length}.`,
  );
  return numbered(answer)!;
}

/** Shows a decision. Asks for its option, and for required data that the arguments lack. */
export async function askForDecision(
  { ask }: Questioner,
  decision: DecisionSummary,
  option: string | undefined,
  given: DecisionOptions,
): Promise<{ readonly option: string; readonly options: DecisionOptions }> {
  const { approvers, excluded = [], isNamed, isExplained, batch, options } = decision;
  writeDecision(outputTo(process.stdout), decision, Date.now());
  const chosen =
    option ??
    (await ask(`Decision (${options.map((id) => visible(id)).join(', ')})`, (answer) =>
      options.includes(answer) ? undefined : `"${answer}" is not one of: ${options.join(', ')}.`,
    ));
  const wrongName = (name: string) => {
    const barred = excluded.find((each) => isSame(each.name, name));
    return barred && `"${name}" ${barred.because}, so somebody else has to decide.`;
  };
  const by = given.by ?? (isNamed || approvers ? await ask('Your name', wrongName) : undefined);
  const isUser = by !== undefined && approvers?.users.includes(by);
  const roles = approvers?.roles ?? [];
  const role =
    given.role ??
    (roles.length > 0 && !isUser ? [await ask(`Your role (${roles.join(', ')})`)] : undefined);
  const comment = given.comment ?? (isExplained ? await ask('Why') : undefined);
  const divides = batch?.isDivisible === true && chosen === batch.approves;
  const items = given.items ?? (divides ? await askForItems(ask, batch.items.length) : undefined);
  return {
    option: chosen,
    options: {
      ...given,
      ...(by === undefined ? {} : { by }),
      ...(role === undefined ? {} : { role }),
      ...(comment === undefined ? {} : { comment }),
      ...(items === undefined ? {} : { items }),
    },
  };
}

async function askForItems(ask: Questioner['ask'], count: number): Promise<string> {
  const numbers = [...Array(count).keys()].join(',');
  const answer = await ask(`Items to approve (all, or numbers such as ${numbers})`, (given) =>
    given === 'all' || /^\d{1,9}(\s*,\s*\d{1,9})*$/.test(given)
      ? undefined
      : 'Expected "all", or numbers with commas.',
  );
  return answer === 'all' ? numbers : answer;
}

function isSame(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}
