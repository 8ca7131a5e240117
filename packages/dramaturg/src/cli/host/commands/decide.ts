import { counted, editedFields, stepsOf, visible } from '@dramaturg/compiler';
import type { DecisionGiven } from '@dramaturg/host';
import type { Command } from 'commander';
import { command, examples } from '../../command.ts';
import { type ExitCode, UsageError } from '../../usage-error.ts';
import type { Desk } from '../desk/desk.ts';
import { findInstance } from '../desk/find-instance.ts';
import { collect, type HostOptions, withHostOptions, withJson } from '../host-options.ts';
import { runOperation } from './run-operation.ts';

interface DecideOptions extends HostOptions {
  readonly by?: string;
  readonly role?: readonly string[];
  readonly comment?: string;
  readonly edit?: readonly string[];
  readonly items?: string;
}

export function decideCommand(done: (code: ExitCode) => void): Command {
  return withHostOptions(withJson(command('decide')))
    .summary('take an open decision')
    .description(
      'Takes a decision that an instance waits for: one that "dramaturg decisions" lists.',
    )
    .usage('[options] <store> <decision> <option>')
    .argument('<store>', 'the folder of the store')
    .argument(
      '<decision>',
      'its id, or the first characters of the instance and of the decision: 3f2a/pac4; the instance alone if it has one open decision',
    )
    .argument('<option>', 'one of the options, such as approve')
    .option('--by <name>', 'who decides')
    .option('--role <name>', 'a role of the person who decides; may be repeated', collect)
    .option('--comment <text>', 'why')
    .option('--edit <field=value>', 'change an editable field; may be repeated', collect)
    .option('--items <numbers>', 'approve these items of a batch, counted from 0: 0,2,3')
    .addHelpText(
      'after',
      `
If the decision is refused, nothing changes; the command prints why and exits with 6.
${examples([
  'dramaturg decide runs order-1/pac454m8 approve --by ana --comment "Fine with me"',
  'dramaturg decide runs order-1 approve --edit draft.title="Spring" --by ana',
  'dramaturg decide runs 3f2a/7k2m approve --items 0,2',
])}`,
    )
    .action(async (folder: string, given: string, option: string, options: DecideOptions) => {
      done(
        await runOperation({
          folder,
          command: 'decide',
          options,
          operation: async (desk) => {
            const { instance, id } = await findDecision(desk, given, folder);
            const decision = `${instance}/${id}`;
            const answer = await desk.decide(
              decision,
              await decisionGiven(desk, decision, option, options),
            );
            return { id: instance, answer };
          },
        }),
      );
    });
}

/** Finds a decision by the first characters of its instance and of its own id. */
async function findDecision(
  desk: Desk,
  given: string,
  folder: string,
): Promise<{ instance: string; id: string }> {
  const slash = given.lastIndexOf('/');
  const named = slash > 0 && slash < given.length - 1;
  // The id of an instance may contain a slash.
  const whole = await desk.find(given);
  const isInstance = whole.some(({ id }) => id === given) || !named;
  const instance = await findInstance(desk, isInstance ? given : given.slice(0, slash), folder);
  const { decisions } = await desk.get(instance);
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
    `"dramaturg decisions ${visible(folder)}" lists the open decisions of the store.`,
  );
}

async function decisionGiven(
  desk: Desk,
  decision: string,
  option: string,
  { by, role, comment, edit, items }: DecideOptions,
): Promise<DecisionGiven> {
  return {
    decision: option,
    ...(by === undefined ? {} : { by }),
    ...(role === undefined ? {} : { roles: role }),
    ...(comment === undefined ? {} : { comment }),
    ...(edit === undefined
      ? {}
      : { edited: editedFields((await desk.decision(decision)).data, edit.map(editOf)) }),
    ...(items === undefined ? {} : { approved: numbersIn(items) }),
  };
}

/** `draft.title=Spring` is the path of a field and its text. */
function editOf(edit: string): [string, string] {
  const at = edit.indexOf('=');
  const path = edit.slice(0, Math.max(0, at));
  if (stepsOf(path).length > 0) return [path, edit.slice(at + 1)];
  throw new UsageError(
    `--edit ${visible(edit)} names no field.`,
    'Write it like this: --edit draft.title="New title".',
  );
}

function numbersIn(written: string): number[] {
  const numbers = written.split(',').filter((word) => word.trim() !== '');
  const bad = numbers.find((word) => !/^\s*\d{1,9}\s*$/.test(word));
  if (bad === undefined) return numbers.map(Number);
  throw new UsageError(
    `"${visible(bad)}" is not the number of an item.`,
    'Write it like this: --items 0,2,3; "dramaturg decisions --json" shows the items.',
  );
}
