import { chartOf, type HostContractOptions } from '@dramaturg/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';

const { policies } = conversationLifecycle;

/** The lifecycles for the host contract. Its ports fail so that a person comes at once. */
export const lifecycles: HostContractOptions['lifecycles'] = {
  conversation: chartOf(
    {
      ...conversationLifecycle,
      policies: { ...policies, model_failure: { attempts: 1 }, fallbacks: undefined },
    },
    lifecycle,
  ),
  workflow: chartOf(workflowLifecycle, lifecycle),
  behaviour: lifecycle.behaviour,
};
