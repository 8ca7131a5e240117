import { own } from '../context.ts';
import type { NpcScope } from './meta.ts';

/** Names that are always known, beside the variables. */
export const builtIn = ['player_name', 'player_gender'] as const;

/** `{{key}}` in an author's text. */
export const placeholder = /\{\{\s*(\w{1,40})\s*\}\}/g;

/**
 * Fills the placeholders of an author's text. What came from people is put in as quoted data; what nobody has said yet
 * stays as it is written. Spec: docs/formats/npc.md#variables
 */
export function fillIn(text: string, { context }: Pick<NpcScope, 'context'>): string {
  const { player, variables } = context;
  const known: Readonly<Record<string, string | undefined>> = {
    player_name: player.name,
    player_gender: player.gender,
  };
  return text.replace(placeholder, (written, name: string) => {
    const value = own(variables, name) ?? own(known, name);
    return value === undefined ? written : JSON.stringify(value);
  });
}
