import { type ContextMaker, InputError, isRecord } from '@dramaturg/compiler';
import { freshSession, genders, type NpcContext, type Player } from '../context.ts';
import { personaMeta, scenarioMeta } from './meta.ts';

/** In UTF-16 units: these go into every prompt. */
const longestName = 200;
const longestMemory = 20_000;
const longestVariable = 2_000;

/**
 * The first context. The scenario that the input names must be open.
 *
 * @throws InputError with everything in the input that does not fit
 */
export const start: ContextMaker<NpcContext> = (
  { input, meta },
  { machine_key }: { machine_key: string },
) => {
  const fields = isRecord(input) ? input : {};
  const problems: string[] = [];
  const { machines, variables } = personaMeta(meta);
  const unlocked = texts(fields['unlocked']).filter((key) => machines.includes(key));
  const machine = typeof fields['machine'] === 'string' ? fields['machine'] : machine_key;
  const scenario = scenarioMeta(meta, machine);
  if (!scenario) problems.push(`there is no scenario "${machine}"`);
  else if (scenario.open !== true && !unlocked.includes(machine))
    problems.push(`the scenario "${machine}" is locked`);
  const player = readPlayer(fields['player'], problems);
  if (problems.length > 0)
    throw new InputError(`The conversation cannot begin: ${problems.join(', ')}.`, problems);

  const { conversation, memory } = fields;
  return {
    ...freshSession,
    conversation:
      typeof conversation === 'string' && conversation !== '' ? conversation : 'conversation',
    player,
    memory: typeof memory === 'string' ? memory.slice(0, longestMemory) : '',
    session: 0,
    machine,
    unlocked: [...new Set(unlocked)],
    results: [],
    variables: {
      ...readVariables(Object.fromEntries(variables.map(({ key, value }) => [key, value]))),
      ...readVariables(fields['variables']),
    },
  };
};

function readPlayer(given: unknown, problems: string[]): Player {
  if (!isRecord(given)) return {};
  const { name, gender } = given;
  const known = genders.find((one) => one === gender);
  if (gender !== undefined && known === undefined)
    problems.push(`the gender of the player must be one of ${genders.join(', ')}`);
  return {
    ...(typeof name === 'string' && name.trim() !== '' ? { name: name.slice(0, longestName) } : {}),
    ...(known ? { gender: known } : {}),
  };
}

/** Values of variables as they are kept: texts of a bounded length under names that prompts can use. */
export function readVariables(given: unknown): Record<string, string> {
  if (!isRecord(given)) return {};
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => {
      const isScalar = ['string', 'number', 'boolean'].includes(typeof value);
      if (!isScalar || key === '__proto__' || String(value).trim() === '') return [];
      return [[key, String(value).slice(0, longestVariable)]];
    }),
  );
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
