import type { Json } from '@dramaturg/compiler';
import {
  type Decision,
  type Question,
  readDecision,
  whyRefused,
} from '@dramaturg/compiler/machine';
import type { Approval } from '../../definition/index.ts';
import { StateTestError } from '../../test-state/state-test-error.ts';
import { endWith, type StateTester } from '../../test-state/tester.ts';
import { mockedWork } from '../../test-state/work.ts';
import type { ApprovalProgram } from './program.ts';

/** Tests an Approval: the mock is the decision of the last person who is asked. */
export const testApproval: StateTester<ApprovalProgram> = (program, run, { mock }) => {
  const { flow, state, approval } = program;
  const begun = approval.begin(run, flow.select(run));
  if (mock?.result === undefined) return mockedWork(program, run, mock);
  const decision = decisionOf(mock.result, {
    ...approval.question(begun, run.input),
    key: '',
    id: '',
  });
  run.inspect?.('result', mock.result);
  const work = { ...approval.add(run, begun, decision), decision };
  const stored = approval.store(run, approval.record(work, run.world.now()), work.edits);
  const rule = approval.choose(run, stored, decision.decision);
  const outcome = flow.finish(run, stored);
  const nextState = targetOf(state as Approval, rule);
  return nextState === undefined ? endWith(outcome, state) : { ...outcome, nextState };
};

/** The target of a rule, or the `Default`; undefined when the state is left by `Next` or `End`. */
function targetOf(
  { Choices: rules, Default: fallback, Next: next, End: end }: Approval,
  rule: number | undefined,
): string | undefined {
  if (rule !== undefined) return rules[rule]!.Next;
  const isOver = next === undefined && !end;
  return rules.length > 0 || isOver ? fallback : undefined;
}

/** @throws StateTestError when the person could not make this decision */
function decisionOf(result: Json, question: Question): Decision {
  const decision = readDecision(result);
  const because = typeof decision === 'string' ? decision : whyRefused(question, decision);
  if (typeof decision !== 'string' && because === undefined) return decision;
  const { id } = question.options[0]!;
  throw new StateTestError(
    'test-state/wrong-mock',
    `The result of the mock does not decide this Approval: ${because}`,
    `Write it like { "result": { "decision": "${id}", "by": "ana" } }.`,
  );
}
