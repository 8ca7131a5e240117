import { type Port, type PortName, type Ports, portSchemas } from '@dramaturg/compiler';
import type { HostTracing } from './trace-options.ts';

/**
 * Adds the trace to calls of ports, as `call.traceparent()`. The tools of MCP servers get it as `_meta.traceparent`.
 *
 * @param tracing the tracing of the host, once it exists: a host is traced after it was created with its ports
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
      // A failure of tracing never disturbs a call.
      const traceparent = () =>
        traces.traceparentOf({ instance, key: input.key }).catch(() => undefined);
      return port(input, { ...call, traceparent });
    };
  };
  const names = (Object.keys(portSchemas) as PortName[]).filter((name) => ports[name]);
  const wrapped = names.map((name) => [name, traced(ports[name] as Port<PortName>)] as const);
  return { ...ports, ...Object.fromEntries(wrapped) };
}
