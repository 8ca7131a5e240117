import { type Decision, type Question, whyRefused } from '@dramaturg/compiler';
import { useId, useState } from 'react';
import { type DecisionDraft, decisionOf, emptyDraft, textAt } from './decision-draft.ts';

interface DecisionFormProps {
  readonly question: Question;
  /** Without it the form has no buttons. */
  readonly onDecide: ((key: string, decision: Decision) => void) | undefined;
}

/** A form for a decision: options, and fields for name, reason, edits and items as required. */
export function DecisionForm({ question, onDecide }: DecisionFormProps) {
  const { key, prompt, options, approvers, excluded, isNamed, isExplained, batch } = question;
  const [draft, setDraft] = useState<DecisionDraft>(emptyDraft);
  const [because, setBecause] = useState<string>();
  const id = useId();
  const change = (more: Partial<DecisionDraft>) => {
    setBecause(undefined);
    setDraft({ ...draft, ...more });
  };
  const decide = (option: string) => {
    const decision = decisionOf(question, draft, option);
    const refused = whyRefused(question, decision);
    setBecause(refused);
    if (refused === undefined) onDecide?.(key, decision);
  };
  const isPersonal = isNamed || approvers !== undefined || (excluded?.length ?? 0) > 0;
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
              Your name
              <input value={draft.by} onChange={({ target }) => change({ by: target.value })} />
            </label>
          )}
          {approvers && approvers.roles.length > 0 && (
            <label>
              Your role
              <select value={draft.role} onChange={({ target }) => change({ role: target.value })}>
                <option value="">none of these</option>
                {approvers.roles.map((role) => (
                  <option key={role}>{role}</option>
                ))}
              </select>
            </label>
          )}
          {isExplained && (
            <label>
              Why
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

interface ItemsProps {
  readonly batch: NonNullable<Question['batch']>;
  readonly without: ReadonlySet<number>;
  readonly onChange: ((without: ReadonlySet<number>) => void) | undefined;
}

/** The items of a batch, with checkboxes if some may be approved alone. */
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
