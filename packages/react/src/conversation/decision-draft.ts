import type { Json } from '@dramaturg/compiler';
import { type Decision, editedFields, fieldAt, type Question } from '@dramaturg/compiler/machine';

/** The current content of a decision form. */
export interface DecisionDraft {
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

/** The editable text of a field: a text as it is, other values as JSON. */
export function textAt(data: Json | undefined, path: string): string {
  const value = fieldAt(data, path) ?? null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
