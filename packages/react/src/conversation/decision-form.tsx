'use client';

import type { Json } from '@dramaturg/compiler';
import {
  type Decision,
  editedFields,
  fieldAt,
  type Question,
  whyRefused,
} from '@dramaturg/compiler/machine';
import { useId, useState } from 'react';

export interface DecisionFormProps {
  /** The open decision, one of `decisions` of `useConversation`. */
  readonly question: Question;
  /** Called with a valid decision. Without it the form has no buttons. */
  readonly onDecide: ((key: string, decision: Decision) => void) | undefined;
  /** Who decides, where it is known: the form does not ask for a name, and for a role only if `roles` is left out. */
  readonly identity?:
    | { readonly name: string; readonly roles?: readonly string[] | undefined }
    | undefined;
  /** The texts of the form, for a page in another language. */
  readonly labels?: Partial<DecisionLabels> | undefined;
}

/** The texts of a form for a decision. */
export interface DecisionLabels {
  readonly name: string;
  readonly role: string;
  readonly noRole: string;
  readonly reason: string;
}

const english: DecisionLabels = {
  name: 'Your name',
  role: 'Your role',
  noRole: 'none of these',
  reason: 'Why',
};

/** A form for a decision: options, and fields for name, reason, edits and items as required. */
export function DecisionForm({ question, onDecide, identity, labels }: DecisionFormProps) {
  const words = { ...english, ...labels };
  const { key, prompt, options, approvers, excluded, isNamed, isExplained, batch } = question;
  const [draft, setDraft] = useState<DecisionDraft>(emptyDraft);
  const [because, setBecause] = useState<string>();
  const id = useId();
  const change = (more: Partial<DecisionDraft>) => {
    setBecause(undefined);
    setDraft({ ...draft, ...more });
  };
  const decide = (option: string) => {
    const decision = { ...decisionOf(question, draft, option), ...byIdentity(identity) };
    const refused = whyRefused(question, decision);
    setBecause(refused);
    if (refused === undefined) onDecide?.(key, decision);
  };
  const isPersonal =
    identity === undefined && (isNamed || approvers !== undefined || (excluded?.length ?? 0) > 0);
  return (
    <div className="dg-decision" role="group" aria-labelledby={id}>
      <p id={id}>{prompt}</p>
      {batch && (
        <Items
          batch={batch}
          without={draft.without}
          onChange={onDecide && batch.isDivisible ? (without) => change({ without }) : undefined}
        />
      )}
      {onDecide && (
        <div className="dg-fields">
          {question.editable?.map((path) => (
            <label key={path}>
              {path.replace(/^\$\.?/, '')}
              <textarea
                rows={1}
                value={draft.edits[path] ?? textAt(question.data, path)}
                onChange={({ target }) =>
                  change({ edits: { ...draft.edits, [path]: target.value } })
                }
              />
            </label>
          ))}
          {isPersonal && (
            <label>
              {words.name}
              <input value={draft.by} onChange={({ target }) => change({ by: target.value })} />
            </label>
          )}
          {identity?.roles === undefined && approvers && approvers.roles.length > 0 && (
            <label>
              {words.role}
              <select value={draft.role} onChange={({ target }) => change({ role: target.value })}>
                <option value="">{words.noRole}</option>
                {approvers.roles.map((role) => (
                  <option key={role}>{role}</option>
                ))}
              </select>
            </label>
          )}
          {isExplained && (
            <label>
              {words.reason}
              <input
                value={draft.comment}
                onChange={({ target }) => change({ comment: target.value })}
              />
            </label>
          )}
        </div>
      )}
      <div className="dg-buttons">
        {options.map(({ id: option, description }) => (
          <button
            key={option}
            type="button"
            title={description}
            data-option={option}
            disabled={!onDecide}
            onClick={() => decide(option)}
          >
            {option}
          </button>
        ))}
      </div>
      {because !== undefined && (
        <p className="dg-refused" role="alert">
          {because}
        </p>
      )}
    </div>
  );
}

function byIdentity(identity: DecisionFormProps['identity']): Pick<Decision, 'by' | 'roles'> {
  if (identity === undefined) return {};
  const { name, roles } = identity;
  return { by: name, ...(roles && { roles: [...roles] }) };
}

interface ItemsProps {
  readonly batch: NonNullable<Question['batch']>;
  readonly without: ReadonlySet<number>;
  readonly onChange: ((without: ReadonlySet<number>) => void) | undefined;
}

/** The items of a batch, with checkboxes if they may be approved separately. */
function Items({ batch, without, onChange }: ItemsProps) {
  const toggle = (index: number) => {
    const after = new Set(without);
    if (!after.delete(index)) after.add(index);
    onChange?.(after);
  };
  return (
    <ul className="dg-items">
      {batch.items.map((item, index) => {
        const text = typeof item === 'string' ? item : JSON.stringify(item);
        return (
          // oxlint-disable-next-line react/no-array-index-key -- An item is identified by its index.
          <li key={index}>
            {onChange ? (
              <label>
                <input
                  type="checkbox"
                  checked={!without.has(index)}
                  onChange={() => toggle(index)}
                />
                {text}
              </label>
            ) : (
              text
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The current content of a decision form. */
interface DecisionDraft {
  readonly by: string;
  readonly role: string;
  readonly comment: string;
  /** Texts of changed fields, by path. */
  readonly edits: Readonly<Record<string, string>>;
  /** Indexes of the items of a batch that are not approved. */
  readonly without: ReadonlySet<number>;
}

export const emptyDraft: DecisionDraft = {
  by: '',
  role: '',
  comment: '',
  edits: {},
  without: new Set(),
};

/** The decision in a draft. `whyRefused` validates it. */
export function decisionOf(question: Question, draft: DecisionDraft, option: string): Decision {
  const { by, role, comment, edits, without } = draft;
  const { batch } = question;
  const isDivided = batch !== undefined && option === batch.approves && without.size > 0;
  return {
    decision: option,
    ...(by.trim() !== '' && { by: by.trim() }),
    ...(role !== '' && { roles: [role] }),
    ...(comment.trim() !== '' && { comment: comment.trim() }),
    ...(isDivided && {
      approved: [...batch.items.keys()].filter((index) => !without.has(index)),
    }),
    ...(Object.keys(edits).length > 0 && { edited: editedFields(question, Object.entries(edits)) }),
  };
}

/** The editable text of a field: strings unchanged, other values as JSON. */
export function textAt(data: Json | undefined, path: string): string {
  const value = fieldAt(data, path) ?? null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
