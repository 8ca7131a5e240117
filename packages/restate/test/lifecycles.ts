import { chartOf, type HostContractOptions } from '@dramaturg/host/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';

/** The lifecycles for the host contract, compiled by the facade. */
export const lifecycles: HostContractOptions['lifecycles'] = {
  conversation: chartOf(conversationLifecycle, lifecycle),
  workflow: chartOf(workflowLifecycle, lifecycle),
  behaviour: lifecycle.behaviour,
};
