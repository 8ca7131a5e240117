import { counted, visible } from '@dramaturg/compiler/text';
import type { DecisionSummary } from '@dramaturg/host';
import { command, type Command, examples } from '../../command.ts';
import { personAtTerminal } from '../../conversation/terminal.ts';
import { decisionGiven, type DecisionOptions, withDecisionOptions } from '../../decision.ts';
import { jsonText, outputTo } from '../../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../../usage-error.ts';
import { findInstance, readFromStore } from '../gateway/open-gateway.ts';
import type { Gateway } from '../gateway/gateway.ts';
import {
  collect,
  contactChannelOption,
  type HostOptions,
  readLimit,
  withHostOptions,
} from '../host-options.ts';
import { writeDecision } from '../print/decision.ts';
import { wordsFor } from '../restate/location.ts';
import { moreLine } from '../print/table.ts';
import { runOperation } from './run-operation.ts';

interface DecideOptions extends HostOptions, DecisionOptions {}

export function decideCommand(): Command {
  return withDecisionOptions(withHostOptions(command('decide').json()))
    .description(
      'Takes a decision that an instance waits for: one that "dramaturg decisions" lists.',
    )
    .usage('[options] <store> [decision] [option]')
    .store()
    .argument(
      '[decision]',
      'its id, or the first characters of the instance and of the decision: 3f2a/pac4; the instance alone if it has one open decision',
    )
    .argument('[option]', 'one of the options, such as approve')
    .addHelpText(
      'after',
      `
On a terminal, the command asks for what is missing: which decision, the option,
and the name, the role and the comment that the decision requires.
If the decision is refused, nothing changes; the command prints why and exits with 6.
${examples([
  'dramaturg decide runs',
  'dramaturg decide runs order-1/pac454m8 approve --by ana --comment "Fine with me"',
  'dramaturg decide runs order-1 approve --edit title="Spring" --by ana',
  'dramaturg decide runs 3f2a/7k2m approve --items 0,2',
  'dramaturg decide runs refund-1 partial --data amount=40 --data reason="Used once"',
])}`,
    )
    .action(
      async (
        folder: string,
        given: string | undefined,
        option: string | undefined,
        options: DecideOptions,
      ) => {
        return runOperation({
          folder,
          command: 'decide',
          options,
          operation: (gateway) =>
            canAsk(options)
              ? withQuestioner((questioner) => ask(questioner, gateway, folder))
              : decideAsGiven(gateway, folder),
        });

        async function ask(questioner: Questioner, gateway: Gateway, store: string) {
          const { instance, id } = await (given === undefined
            ? whichDecision(questioner, gateway, store)
            : findDecision(gateway, given, store));
          const decision = `${instance}/${id}`;
          const question = await gateway.decision(decision);
          const answered = await askForDecision(questioner, question, option, options);
          const made = decisionGiven(answered.option, answered.options, question);
          return { id: instance, answer: await gateway.decide(decision, made) };
        }

        async function decideAsGiven(gateway: Gateway, store: string) {
          if (given === undefined) throw missing('decision', store);
          const { instance, id } = await findDecision(gateway, given, store);
          const decision = `${instance}/${id}`;
          if (option === undefined)
            throw missing('option', store, await gateway.decision(decision));
          const question = options.edit ? await gateway.decision(decision) : {};
          const answer = await gateway.decide(decision, decisionGiven(option, options, question));
          return { id: instance, answer };
        }
      },
    );
}

function missing(
  name: 'decision' | 'option',
  folder: string,
  decision?: { readonly options: readonly string[] },
): UsageError {
  return new UsageError(
    `Missing required argument '${name}'.`,
    decision
      ? `Name one of its options: ${decision.options.map((id) => visible(id)).join(', ')}.`
      : `"dramaturg decisions ${wordsFor(folder)}" lists the open decisions of the store.`,
  );
}

async function whichDecision(
  questioner: Questioner,
  gateway: Gateway,
  folder: string,
): Promise<{ instance: string; id: string }> {
  const { items } = await gateway.decisions({ limit: 50 });
  if (items.length === 0)
    throw new UsageError(
      `The store "${visible(folder)}" has no open decision.`,
      `"dramaturg ps ${wordsFor(folder)}" says what its instances wait for.`,
    );
  return askWhichDecision(questioner, items);
}

/** Finds a decision by the first characters of its instance and of its own id. */
async function findDecision(
  gateway: Gateway,
  given: string,
  folder: string,
): Promise<{ instance: string; id: string }> {
  const slash = given.lastIndexOf('/');
  const named = slash > 0 && slash < given.length - 1;
  // The id of an instance may contain a slash.
  const whole = await gateway.find({ prefix: given });
  const isInstance = whole.some(({ id }) => id === given) || !named;
  const instance = await findInstance(gateway, isInstance ? given : given.slice(0, slash), folder);
  const { decisions } = await gateway.get(instance);
  const begins = isInstance ? '' : given.slice(slash + 1);
  const found = decisions.filter(({ id }) => id.startsWith(begins));
  const [only] = found;
  if (only && found.length === 1) return { instance, id: only.id };
  if (found.length > 1) {
    const ids = found.slice(0, 5).map(({ id }) => visible(`${instance}/${id}`));
    throw new UsageError(
      `${counted(found.length, 'decision')} of "${visible(instance)}" match.`,
      `Name one of them: ${ids.join(', ')}${found.length > 5 ? ', ...' : ''}.`,
    );
  }
  // The host reports what happened to a decision that is not open.
  if (begins !== '') return { instance, id: begins };
  throw new UsageError(
    `"${visible(instance)}" has no open decision.`,
    `"dramaturg decisions ${wordsFor(folder)}" lists the open decisions of the store.`,
  );
}

/** Asks one question after another. Rejects with a `UsageError` when the person leaves. */
interface Questioner {
  /** Asks until an answer is valid. @param wrong returns why an answer is not valid */
  readonly ask: (label: string, wrong?: (answer: string) => string | undefined) => Promise<string>;
}

/** Whether a person can be asked: both ends of the process are a terminal, and no program reads the output. */
function canAsk({ json }: { readonly json?: true }): boolean {
  return !json && process.stdin.isTTY && process.stdout.isTTY;
}

async function withQuestioner<Result>(
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
async function askWhichDecision(
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
async function askForDecision(
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

interface DecisionsOptions {
  readonly instance?: string;
  readonly definition?: string;
  readonly contact?: string;
  readonly channel?: string;
  readonly by?: string;
  readonly role?: readonly string[];
  readonly limit: number;
  readonly after?: string;
  readonly json?: true;
}

export function decisionsCommand(): Command {
  return command('decisions')
    .json()
    .description('Lists the decisions that instances wait for, the oldest instance first.')
    .store()
    .option('--instance <id>', 'only those of this instance')
    .option('--definition <name>', 'only those of this definition')
    .option('--contact <address>', 'only those of instances with this contact')
    .option(...contactChannelOption)
    .option('--by <name>', 'only those that this person may decide')
    .option('--role <name>', 'a role of that person; may be repeated', collect)
    .option('--limit <number>', 'how many to list', readLimit, 100)
    .option('--after <page>', 'continue with this page, which the end of a list names')
    .examples(
      'dramaturg decisions runs',
      'dramaturg decisions runs --by ana --role legal',
      'dramaturg decisions runs --definition release --json',
    )
    .action(list);
}

async function list(folder: string, options: DecisionsOptions): Promise<ExitCode> {
  const output = outputTo(process.stdout);
  const { limit, after, instance, definition, contact, channel, by, role } = options;
  const { items, next } = await readFromStore(
    folder,
    async (gateway) =>
      gateway.decisions({
        instance:
          instance === undefined ? undefined : await findInstance(gateway, instance, folder),
        definition,
        contact,
        channel,
        by,
        roles: role,
        limit,
        after,
      }),
    channel,
  );
  if (options.json) {
    output.write(jsonText({ decisions: items, next }));
    return exitCodes.fine;
  }
  if (items.length === 0) output.write('There are no open decisions.\n');
  const now = Date.now();
  for (const each of items) writeDecision(output, each, now);
  if (next !== undefined) output.write(moreLine(next));
  return exitCodes.fine;
}
