import { type Chart, compile } from '@dramaturg/compiler';
import type { HostContractOptions } from '@dramaturg/host/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';

/** The lifecycles for the host contract, compiled by the facade. */
export const lifecycles: HostContractOptions['lifecycles'] = {
  conversation: chartOf(conversationLifecycle),
  workflow: chartOf(workflowLifecycle),
  behaviour: lifecycle.behaviour,
};

function chartOf(definition: object): Chart {
  const { chart, diagnostics } = compile(JSON.stringify(definition), { formats: [lifecycle] });
  if (!chart) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return chart;
}
