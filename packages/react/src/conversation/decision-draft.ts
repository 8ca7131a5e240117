import {
  type Decision,
  editedFields,
  fieldAt,
  type Json,
  type Question,
} from '@dramaturg/compiler';

/** What a person has filled in so far. */
export interface DecisionDraft {
  readonly by: string;
  readonly role: string;
  readonly comment: string;
  /** Texts of editable fields that were touched, by their paths. */
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

/** The decision that a draft comes to. Whether it can be taken is for `whyRefused` to say. */
export function decisionOf(question: Question, draft: DecisionDraft, option: string): Decision {
  const { by, role, comment, edits, without } = draft;
  const { batch, data } = question;
  const isDivided = batch !== undefined && option === batch.approves && without.size > 0;
  return {
    decision: option,
    ...(by.trim() !== '' && { by: by.trim() }),
    ...(role !== '' && { roles: [role] }),
    ...(comment.trim() !== '' && { comment: comment.trim() }),
    ...(isDivided && {
      approved: [...batch.items.keys()].filter((index) => !without.has(index)),
    }),
    ...(Object.keys(edits).length > 0 && { edited: editedFields(data, Object.entries(edits)) }),
  };
}

/** The text in which a field is edited: a text is itself, everything else is JSON. */
export function textAt(data: Json | undefined, path: string): string {
  const value = fieldAt(data, path) ?? null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
