import { useSyncExternalStore } from 'react';
import { type InboxFilter, queues } from '../service/protocol.ts';

/** A filter with a name, stored in this browser. */
export interface SavedView {
  readonly name: string;
  readonly filter: InboxFilter;
}

const key = 'dramaturg-desk-views';
const viewsMax = 50;
const nameMax = 60;

/** Reads stored views. Invalid entries are left out, because other pages of this origin can write to the storage. */
export function viewsIn(text: string | null): readonly SavedView[] {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  return Array.isArray(stored) ? stored.filter(isView).slice(0, viewsMax) : [];
}

/** Adds a view, or replaces one with the same name. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const name = view.name.trim().slice(0, nameMax);
  if (name === '') return views;
  const others = views.filter((each) => each.name !== name);
  return [...others, { ...view, name }].slice(-viewsMax);
}

const observers = new Set<() => void>();
let current: readonly SavedView[] | undefined;

/** The saved views of this browser. */
export function useSavedViews() {
  const views = useSyncExternalStore(
    observe,
    () => (current ??= viewsIn(localStorage.getItem(key))),
  );
  return {
    views,
    save: (view: SavedView) => change(withView(views, view)),
    remove: (name: string) => change(views.filter((each) => each.name !== name)),
  };
}

function observe(observer: () => void): () => void {
  observers.add(observer);
  return () => observers.delete(observer);
}

function change(views: readonly SavedView[]): void {
  localStorage.setItem(key, JSON.stringify(views));
  current = views;
  for (const observer of observers) observer();
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, filter } = value as { name?: unknown; filter?: unknown };
  if (typeof name !== 'string' || typeof filter !== 'object' || filter === null) return false;
  const { queue, ...fields } = filter as Record<string, unknown>;
  return (
    queues.some((each) => each === queue) &&
    Object.values(fields).every((field) => typeof field === 'string')
  );
}
