import { isRecord, type Json } from '@dramaturg/compiler';
import type { DefinitionChange, PartName } from '@dramaturg/compiler/chart';
import { counted, visible } from '@dramaturg/compiler/text';
import type { Output } from '../output.ts';

const indent = '    ';
/** A string that is longer or has line breaks gets a line of its own. */
const shortMax = 48;

/** Prints changes for people, grouped by state. Positions are in the new definition, those of removed parts in the old one. */
export function printChanges(
  changes: readonly DefinitionChange[],
  names: { readonly old: string; readonly new: string },
  { paint }: Output,
): string {
  const lines = [summaryOf(changes, names)];
  for (const [title, group] of groupsOf(changes)) {
    const [first] = group;
    const isWhole = group.length === 1 && first!.part.length <= 1 && first!.change !== 'changed';
    if (isWhole) lines.push('', ...changeLines(first!, names, paint));
    else {
      lines.push('', paint('bold', title));
      for (const each of group)
        lines.push(...changeLines(each, names, paint).map((line) => `${indent}${line}`));
    }
  }
  return `${lines.join('\n')}\n`;
}

function summaryOf(
  changes: readonly DefinitionChange[],
  names: { readonly old: string; readonly new: string },
): string {
  const kinds = ['added', 'removed', 'renamed', 'moved', 'changed'] as const;
  const counts = kinds
    .map((kind) => [kind, changes.filter(({ change }) => change === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`);
  const what = `${counted(changes.length, 'change')}: ${counts.join(', ')}`;
  return `${visible(names.old)} → ${visible(names.new)}: ${what}.`;
}

/** The changes by the outermost part, in the order of the definition. */
function groupsOf(
  changes: readonly DefinitionChange[],
): ReadonlyMap<string, readonly DefinitionChange[]> {
  const groups = new Map<string, DefinitionChange[]>();
  for (const each of changes) {
    const [outermost] = each.part;
    const title = outermost ? printPart([outermost]) : 'The definition';
    groups.set(title, [...(groups.get(title) ?? []), each]);
  }
  return groups;
}

function changeLines(
  change: DefinitionChange,
  names: { readonly old: string; readonly new: string },
  paint: Output['paint'],
): readonly string[] {
  const place = change.new
    ? `${names.new}:${change.new.line}:${change.new.column}`
    : change.old && `${names.old}:${change.old.line}:${change.old.column}`;
  const where = place === undefined ? '' : `  ${paint('dim', visible(place))}`;
  const inner = change.part.length > 1 ? change.part.slice(1) : change.part;
  switch (change.change) {
    case 'added':
      return [`${paint('green', `+ ${printPart(inner)}`)}${where}`];
    case 'removed':
      return [`${paint('red', `- ${printPart(inner)}`)}${where}`];
    case 'renamed':
      return [
        `${paint('yellow', '~')} ${printPart(inner)} was ${quoted(change.from)} before: its content is similar${where}`,
      ];
    case 'moved':
      return [
        `${paint('yellow', '~')} ${printPart(inner)} moved from position ${change.from} to ${change.to}${where}`,
      ];
    case 'changed': {
      const owner = change.part.length > 1 ? `${printPart(inner)}: ` : '';
      const head = `${paint('yellow', '~')} ${owner}${visible(change.field)}`;
      return fieldLines(head, change.from, change.to, where, paint);
    }
  }
}

function fieldLines(
  head: string,
  from: Json | undefined,
  to: Json | undefined,
  where: string,
  paint: Output['paint'],
): readonly string[] {
  if (Array.isArray(from) && Array.isArray(to)) {
    const [gone, come] = [itemsOnlyIn(from, to), itemsOnlyIn(to, from)];
    if (gone.length === 0 && come.length === 0) return [`${head}: other order${where}`];
    return [
      `${head}${where}`,
      ...gone.map((item) => paint('red', `${indent}- ${printValue(item)}`)),
      ...come.map((item) => paint('green', `${indent}+ ${printValue(item)}`)),
    ];
  }
  if (from === undefined && to === undefined) return [`${head}${where}`];
  const [before, after] = [from, to].map((value) => value !== undefined && printValue(value));
  const isShort = [before, after].every((text) => text === false || text!.length <= shortMax);
  if (isShort) {
    if (before === false) return [`${head}: now ${after}${where}`];
    if (after === false) return [`${head}: no longer ${before}${where}`];
    return [`${head}: ${before} → ${after}${where}`];
  }
  return [
    `${head}${where}`,
    ...(before === false ? [] : [paint('red', `${indent}- ${before}`)]),
    ...(after === false ? [] : [paint('green', `${indent}+ ${after}`)]),
  ];
}

/** The items that occur more often in a list than in another. */
function itemsOnlyIn(list: readonly Json[], other: readonly Json[]): readonly Json[] {
  const others = other.map((item) => JSON.stringify(item));
  return list.filter((item) => {
    const at = others.indexOf(JSON.stringify(item));
    if (at !== -1) others.splice(at, 1);
    return at === -1;
  });
}

/** `task "facts" of state "intake"` is printed from the inside out. */
function printPart(part: readonly PartName[]): string {
  return part
    .toReversed()
    .map(({ noun, name }) => `${noun} ${quoted(name)}`)
    .join(' of ');
}

function quoted(name: string): string {
  return `"${visible(name)}"`;
}

function printValue(value: Json): string {
  if (!isRecord(value) && !Array.isArray(value)) return visible(JSON.stringify(value));
  return visible(
    JSON.stringify(value)
      .replaceAll(/"([A-Za-z_]\w*)":/g, '$1: ')
      .replaceAll(',', ', '),
  );
}
