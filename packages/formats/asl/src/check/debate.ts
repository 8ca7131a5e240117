import { fewAgents, unknownAgent } from '../diagnostics/approval.ts';
import { authoredPart, partOf, statesOf } from '../walk.ts';
import { atMostOne, type WorkflowRule } from './rule.ts';

/** Two debate at least, about one topic. Spec: Agent 2 §Debate State */
export const debatesHaveTwoSides: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.Type !== 'Debate') continue;
    const { Agents: agents, authored, at } = state;
    if (Array.isArray(authored['Agents']) && agents.length < 2) {
      report(fewAgents(agents.length), [...at, 'Agents']);
    }
    atMostOne(authoredPart(state), ['Topic', 'TopicPath', 'Topic.$'], report);
  }
};

/** Only who takes part is given the word, or a vote. An arbiter may come from outside. Spec: tutorial 9 */
export const speakersTakePart: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.Type !== 'Debate') continue;
    const communication = partOf(authoredPart(state), 'Communication');
    const known = new Set(state.Agents);
    state.Order.forEach((name, index) => {
      if (!communication || known.has(name)) return;
      report(unknownAgent(name, state.Agents), [...communication.at, 'Order', index]);
    });
    const consensus = partOf(authoredPart(state), 'Consensus');
    const voters: unknown = consensus?.value['VotingAgents'];
    if (!consensus || !Array.isArray(voters)) continue;
    voters.forEach((name: unknown, index) => {
      if (typeof name !== 'string' || known.has(name)) return;
      report(unknownAgent(name, state.Agents), [...consensus.at, 'VotingAgents', index]);
    });
  }
};
