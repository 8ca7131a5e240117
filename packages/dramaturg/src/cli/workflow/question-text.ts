import { fieldAt, type Question } from '@dramaturg/compiler/machine';
import { visible } from '@dramaturg/compiler/text';
import { decisionTerms } from '../host/print/decision-terms.ts';
import { visibleJson } from '../visible.ts';

/** A question in lines: its prompt, the items of a batch, the fields that may be changed, and its terms. */
export function questionLines(question: Question): readonly string[] {
  const { prompt, batch, editable = [], data } = question;
  return [
    ...prompt.split('\n').map((line) => visible(line)),
    ...(batch?.items.map((item, index) => `${index}: ${visibleJson(JSON.stringify(item))}`) ?? []),
    ...editable.map((path) => {
      const value = fieldAt(data, path);
      return `${visible(path)} = ${value === undefined ? 'nothing' : visibleJson(JSON.stringify(value))}`;
    }),
    ...termLines(question),
  ];
}

/** The terms of a question, and how to meet them in a line. */
export function termLines(question: Question): readonly string[] {
  const { options, approvers, isNamed, isExplained, editable = [], batch, until } = question;
  const flags = [
    ...(isNamed || approvers ? ['--by NAME'] : []),
    ...(approvers && approvers.roles.length > 0 ? ['--role ROLE'] : []),
    ...(isExplained ? ['--comment WHY'] : []),
    ...(editable.length > 0 ? ['--edit FIELD=VALUE'] : []),
    ...(batch?.isDivisible ? ['--items 0,1'] : []),
  ];
  const shown = decisionTerms({ ...question, options: options.map(({ id }) => id) });
  const deadline = until === undefined ? '' : `; until ${new Date(until).toISOString()}`;
  return [
    `${visible(shown)}${deadline}`,
    ...(flags.length > 0 ? [`answer with: OPTION ${flags.join(' ')}`] : []),
  ];
}
