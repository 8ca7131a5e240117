import { isRecord } from '@dramaturg/compiler';
import type { ContextMaker } from '@dramaturg/compiler/format';
import { unknownFields } from '@dramaturg/compiler/shapes';
import { readConversationInput, refuseInput } from '@dramaturg/conversation';
import { freshSession, genders, type NpcContext, type Player } from '../context.ts';
import { personaMeta, scenarioMeta } from './meta.ts';

/** In UTF-16 units: names are part of every prompt. */
const longestName = 200;
const longestMemory = 20_000;
const longestVariable = 2_000;

/** Fields of the actor's input besides those that every conversation has. */
export const inputFields = ['machine', 'player', 'unlocked', 'variables', 'memory'];

/**
 * The first context. The scenario that the input names must be open.
 *
 * @throws InputError with everything in the input that is unknown or does not fit
 */
export const start: ContextMaker<NpcContext, { machine_key: string; endless?: true }> = (
  { input, meta },
  { machine_key, endless },
) => {
  const { fields, conversation, opening, problems } = readConversationInput(input, inputFields);
  const { machines, variables } = personaMeta(meta);
  const { machine = machine_key, memory = '' } = fields;
  const given = readUnlocked(fields['unlocked'], problems);
  const unlocked = given.filter((key) => machines.includes(key));
  const scenario = typeof machine === 'string' ? scenarioMeta(meta, machine) : undefined;
  if (!scenario) problems.push(`there is no scenario "${String(machine)}"`);
  else if (scenario.open !== true && !unlocked.includes(scenario.machine_key))
    problems.push(`the scenario "${scenario.machine_key}" is locked`);
  if (typeof memory !== 'string') problems.push('"memory" must be a text');
  const player = readPlayer(fields['player'], problems);
  checkVariables(fields['variables'], problems);
  refuseInput(problems);

  return {
    ...freshSession,
    conversation,
    opening: opening ?? 'agent',
    player,
    memory: String(memory).slice(0, longestMemory),
    session: 0,
    machine: String(machine),
    unlocked: [...new Set(unlocked)],
    results: [],
    ...(endless && { endless }),
    endedByAgent: null,
    variables: {
      ...readVariables(Object.fromEntries(variables.map(({ key, value }) => [key, value]))),
      ...readVariables(fields['variables']),
    },
  };
};

function readUnlocked(given: unknown = [], problems: string[]): string[] {
  if (Array.isArray(given) && given.every((key) => typeof key === 'string')) return given;
  problems.push('"unlocked" must be a list of texts');
  return [];
}

function readPlayer(given: unknown = {}, problems: string[]): Player {
  if (!isRecord(given)) {
    problems.push('"player" must be an object');
    return {};
  }
  problems.push(...unknownFields(given, ['name', 'gender'], 'player'));
  const { name, gender } = given;
  const knownGender = genders.find((one) => one === gender);
  if (gender !== undefined && gender !== null && knownGender === undefined)
    problems.push(`the gender of the player must be one of ${genders.join(', ')}`);
  if (name !== undefined && name !== null && typeof name !== 'string')
    problems.push('the name of the player must be a text');
  return {
    ...(typeof name === 'string' && name.trim() !== '' ? { name: name.slice(0, longestName) } : {}),
    ...(knownGender ? { gender: knownGender } : {}),
  };
}

function checkVariables(given: unknown = {}, problems: string[]): void {
  if (!isRecord(given)) problems.push('"variables" must be an object');
  else
    for (const [key, value] of Object.entries(given))
      if (typeof value === 'object' && value !== null)
        problems.push(`the variable "${key}" must be a text`);
}

/** Values of variables as they are stored: strings of limited length, by names that prompts can use. */
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
