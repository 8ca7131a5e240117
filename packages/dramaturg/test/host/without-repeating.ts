import { type Compiled, compile, conversationLifecycle } from '../../src/index.ts';

/** The built-in lifecycle, but a person comes after the first call that fails, and the contact is not told. */
export const lifecycleWithoutRepeats = {
  ...conversationLifecycle,
  policies: {
    ...conversationLifecycle.policies,
    model_failure: { attempts: 1 },
    fallbacks: undefined,
  },
};

/** A conversation whose failed calls are not made again. */
export function withoutRepeating(definition: Compiled) {
  return { definition, lifecycle: compile(JSON.stringify(lifecycleWithoutRepeats)) };
}
