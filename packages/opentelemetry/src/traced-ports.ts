import { type Port, type PortName, type Ports, portSchemas } from '@dramaturg/compiler';
import type { HostTracing } from './trace-options.ts';

/**
 * Ports whose calls know their trace: `call.traceparent()`. The tools of MCP servers get it as `_meta.traceparent`.
 *
 * @param tracing the traces of the host, once there are any: a host is created with its ports, and traced then
 */
export function tracedPorts<Given extends Partial<Ports>>(
  ports: Given,
  tracing: () => Pick<HostTracing, 'traceparentOf'> | undefined,
): Given {
  const traced = (port: Port<PortName>): Port<PortName> => {
    return (input, call) => {
      const { instance } = call;
      const traces = tracing();
      if (instance === undefined || !traces) return port(input, call);
      // Traces disturb no call.
      const traceparent = () =>
        traces.traceparentOf({ instance, key: input.key }).catch(() => undefined);
      return port(input, { ...call, traceparent });
    };
  };
  const names = (Object.keys(portSchemas) as PortName[]).filter((name) => ports[name]);
  const wrapped = names.map((name) => [name, traced(ports[name] as Port<PortName>)] as const);
  return { ...ports, ...Object.fromEntries(wrapped) };
}
