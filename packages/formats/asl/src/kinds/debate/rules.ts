import { authoredPart, partOf } from '../../authored.ts';
import { atMostOne, type StateRule } from '../../check/rule.ts';
import type { Debate } from '../../definition/index.ts';
import { fewAgents, unknownAgent } from './problems.ts';

/** Reports debates with fewer than two agents, or with several topics. Spec: Agent 2 §Debate State */
const fewAgentsOrManyTopics: StateRule<Debate> = (debate, { report }) => {
  const { Agents: agents, authored, at } = debate;
  if (Array.isArray(authored['Agents']) && agents.length < 2) {
    report(fewAgents(agents.length), [...at, 'Agents']);
  }
  atMostOne(authoredPart(debate), ['Topic', 'TopicPath', 'Topic.$'], report);
};

/** Reports speakers and voters that are not agents of the debate. An arbiter may come from outside. Spec: tutorial 9 */
const unknownAgents: StateRule<Debate> = (debate, { report }) => {
  const communication = partOf(authoredPart(debate), 'Communication');
  const known = new Set(debate.Agents);
  debate.Order.forEach((name, index) => {
    if (!communication || known.has(name)) return;
    report(unknownAgent(name, debate.Agents), [...communication.at, 'Order', index]);
  });
  const consensus = partOf(authoredPart(debate), 'Consensus');
  const voters: unknown = consensus?.value['VotingAgents'];
  if (!consensus || !Array.isArray(voters)) return;
  voters.forEach((name: unknown, index) => {
    if (typeof name !== 'string' || known.has(name)) return;
    report(unknownAgent(name, debate.Agents), [...consensus.at, 'VotingAgents', index]);
  });
};

export const debateRules: readonly StateRule<Debate>[] = [fewAgentsOrManyTopics, unknownAgents];
