import { type Ref, useEffect, useState } from 'react';
import type { InboxFilter, InboxItem } from '../../service/protocol.ts';
import { readable } from '../../state/place-of.ts';
import { useSavedViews } from '../../state/saved-views.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';

interface FilterBarProps {
  readonly filter: InboxFilter;
  /** The loaded rows, for the choices. */
  readonly items: readonly InboxItem[];
  readonly searchRef: Ref<HTMLInputElement>;
  readonly onChange: (filter: InboxFilter) => void;
  /** Called when the operator moves on to the list. */
  readonly onLeave: () => void;
}

/** Milliseconds after the last key until the search begins. */
const typingMs = 200;

/** Search, filters, and a button that saves them as a view. */
export function FilterBar({ filter, items, searchRef, onChange, onLeave }: FilterBarProps) {
  const { me } = useDesk();
  const { save } = useSavedViews();
  const [text, setText] = useState(filter.q ?? '');
  const words = wording.filter;
  useEffect(() => setText(filter.q ?? ''), [filter.q]);
  useEffect(() => {
    if (text === (filter.q ?? '')) return undefined;
    const timer = setTimeout(() => onChange(withField(filter, 'q', text)), typingMs);
    return () => clearTimeout(timer);
  }, [text, filter, onChange]);
  const isFiltered = Object.keys(filter).length > 1;
  const owners = namesIn(items, ({ owner }) => owner?.by).filter((name) => name !== me.name);
  return (
    <div className="filter" role="search" aria-label={words.label}>
      <input
        type="search"
        ref={searchRef}
        aria-label={words.search}
        placeholder={words.search}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter' || key === 'ArrowDown') onLeave();
        }}
      />
      <div className="filter-row">
        <Choice
          label={words.state}
          any={words.anyState}
          value={filter.state}
          choices={namesIn(items, ({ state }) => state)}
          textOf={readable}
          onChange={(state) => onChange(withField(filter, 'state', state))}
        />
        <Choice
          label={words.definition}
          any={words.anyDefinition}
          value={filter.definition}
          choices={namesIn(items, ({ definition }) => definition.name)}
          onChange={(definition) => onChange(withField(filter, 'definition', definition))}
        />
        <Choice
          label={words.owner}
          any={words.anyOwner}
          value={filter.owner}
          choices={[me.name, ...owners]}
          textOf={(name) => (name === me.name ? words.mine : name)}
          onChange={(owner) => onChange(withField(filter, 'owner', owner))}
        />
        {isFiltered && (
          <>
            <button type="button" onClick={() => onChange({ queue: filter.queue })}>
              {words.clear}
            </button>
            <SaveView onSave={(name) => save({ name, filter })} />
          </>
        )}
      </div>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly any: string;
  readonly value: string | undefined;
  readonly choices: readonly string[];
  readonly textOf?: (choice: string) => string;
  readonly onChange: (value: string) => void;
}

function Choice({ label, any, value, choices, textOf = String, onChange }: ChoiceProps) {
  // The chosen value stays, even if no loaded row has it.
  const all = value === undefined || choices.includes(value) ? choices : [...choices, value];
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      data-set={value !== undefined || undefined}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{any}</option>
      {all.map((choice) => (
        <option key={choice} value={choice}>
          {textOf(choice)}
        </option>
      ))}
    </select>
  );
}

function namesIn(
  items: readonly InboxItem[],
  nameOf: (item: InboxItem) => string | undefined,
): readonly string[] {
  const names = new Set<string>();
  for (const item of items) {
    const name = nameOf(item);
    if (name !== undefined) names.add(name);
  }
  return [...names].toSorted();
}

function withField(filter: InboxFilter, field: keyof InboxFilter, value: string): InboxFilter {
  const { [field]: _before, ...rest } = filter;
  return (value === '' ? rest : { ...rest, [field]: value }) as InboxFilter;
}

/** Asks for the name of a view, within the filter bar. */
function SaveView({ onSave }: { readonly onSave: (name: string) => void }) {
  const [name, setName] = useState<string>();
  const words = wording.filter;
  if (name === undefined)
    return (
      <button type="button" onClick={() => setName('')}>
        {words.save}
      </button>
    );
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === '') return;
        onSave(name);
        setName(undefined);
      }}
    >
      <input
        aria-label={words.saveAs}
        placeholder={words.saveAs}
        autoFocus
        value={name}
        maxLength={60}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" className="primary">
        {words.saveSubmit}
      </button>
      <button type="button" onClick={() => setName(undefined)}>
        {words.cancel}
      </button>
    </form>
  );
}
