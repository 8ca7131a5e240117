import { localTime } from '@dramaturg/compiler/text';
import { fillPlaceholders } from '@dramaturg/conversation';
import { type NpcContext, own } from '../context.ts';
import type { NpcScope } from './meta.ts';

/** Names that are always known, besides the variables. */
export const builtIn = ['player_name', 'player_gender', 'now'] as const;

/** Values from people, as they are written in an author's text. */
export function ofPeople({ player, variables }: NpcContext): string[] {
  const values = [player.name, player.gender, ...Object.values(variables)];
  return values.flatMap((value) => (typeof value === 'string' ? [JSON.stringify(value)] : []));
}

/**
 * Fills the placeholders of an author's text. Values from people are quoted; a placeholder without a value is not replaced. Spec:
 * docs/formats/npc.md#variables
 */
export function fillIn(
  text: string,
  { context, world }: Pick<NpcScope, 'context' | 'world'>,
): string {
  const { player, variables } = context;
  const known: Readonly<Record<string, string | undefined>> = {
    player_name: player.name,
    player_gender: player.gender,
  };
  return fillPlaceholders(text, (name) => {
    const value = own(variables, name) ?? own(known, name);
    if (value === undefined && name === 'now')
      return localTime(world.now(), world.timeZone?.() ?? 'UTC');
    return value === undefined ? undefined : JSON.stringify(value);
  });
}
