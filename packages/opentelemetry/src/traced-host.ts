import type {
  Charts,
  EventFilter,
  HostEvent,
  InstanceSummary,
  InstanceView,
} from '@dramaturg/host';
import type { Json } from '@dramaturg/compiler';

/** The operations of a host that tracing uses. Every host has them: that of `createHost`, of the facade, and on Restate. */
export interface TracedHost {
  events(
    filter: Pick<EventFilter, 'after' | 'signal'>,
  ): AsyncIterable<Omit<HostEvent, 'event'> & { readonly event: { readonly type: string } }>;
  cursor(): Promise<string>;
  get(
    id: string,
  ): Promise<Pick<InstanceView, 'id' | 'definition' | 'createdAt' | 'parent' | 'input'>>;
  charts(id: string): Promise<Charts>;
  journal(
    id: string,
    range: { readonly from: number; readonly limit: number },
  ): Promise<readonly Json[]>;
  list(
    filter: { readonly state?: string; readonly ended?: boolean; readonly asks?: boolean },
    page: { readonly limit: number; readonly after?: string },
  ): Promise<{ readonly items: readonly InstanceSummary[]; readonly next?: string }>;
}
