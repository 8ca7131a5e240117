import { isRecord } from '@dramaturg/compiler';
import type { Deliverable } from './deliverables.tsx';

/** A node of a chart, or of a linked machine. */
interface Node {
  readonly meta?: unknown;
  readonly states?: Readonly<Record<string, Node>> | undefined;
}

/** The deliverables that the tasks of a plan ask for, in the author's order, without values. Other formats declare none. */
export function wantedDeliverables(root: Node): readonly Deliverable[] {
  const items = new Map<string, Deliverable>();
  const add = ({ meta, states }: Node): void => {
    for (const task of listIn(meta, 'tasks')) {
      for (const { key, description, required } of listIn(task, 'deliverables')) {
        if (typeof key !== 'string' || items.has(key)) continue;
        items.set(key, {
          key,
          required: required === true,
          ...(typeof description === 'string' ? { description } : {}),
        });
      }
    }
    for (const state of Object.values(states ?? {})) add(state);
  };
  add(root);
  return [...items.values()];
}

/** Deliverables with the values that are known, and those that no task has asked for at the end. */
export function withKnown(
  wanted: readonly Deliverable[],
  known: readonly Deliverable[],
): readonly Deliverable[] {
  const items = new Map(wanted.map((item) => [item.key, item]));
  for (const item of known) items.set(item.key, { ...items.get(item.key), ...item });
  return [...items.values()];
}

function listIn(value: unknown, name: string): readonly Readonly<Record<string, unknown>>[] {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
