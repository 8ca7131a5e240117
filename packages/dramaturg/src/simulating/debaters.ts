import type { Json, JsonObject, Port } from '@dramaturg/compiler';
import { AgentError } from '../cli/workflow/agent-error.ts';
import type { Chance } from './chance.ts';
import { forever, type Persona } from './persona.ts';

/**
 * The agents of debates by the rules of a persona: they speak and vote for or against, as often as the persona agrees. An agent
 * that refuses fails its turn. An agent that stays away never answers, so its turn times out. All other agents return their
 * input, as in a dry run.
 */
export function ruleDebaters(persona: Persona, chance: Chance): Port<'runAgent'> {
  const { agrees, refuses, absent, phrases } = persona;
  return async ({ agent, input }) => {
    if (!isTurn(input)) return { result: input };
    if (chance.happens(absent.chance) && chance.of(absent.for) === forever)
      throw new AgentError('States.Timeout', `"${agent}" does not answer.`);
    if (chance.happens(refuses.chance))
      throw new AgentError('States.TaskFailed', `"${agent}" does not take part.`);
    const isFor = chance.happens(agrees);
    const stance = isFor ? 'yes' : 'no';
    const words = chance.of(phrases).replaceAll('{answer}', stance);
    const result: JsonObject = {
      response: words,
      vote: stance,
      decision: stance,
      agreement: isFor ? 1 : 0,
    };
    return { result };
  };
}

/** Whether an agent is asked for its turn in a debate. Spec: docs/formats/asl-agents.md#debate */
function isTurn(input: Json): boolean {
  const { prompt, topic, round, history } = Object(input) as JsonObject;
  return [prompt, topic].every((each) => typeof each === 'string') && !!round && !!history;
}
