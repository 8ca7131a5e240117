import { HostError } from '../../errors.ts';
import type { DeliveryReport } from '../../instance/delivery-reports.ts';
import type { ChannelContext } from '../http-channel.ts';
import { acknowledged } from './receive-message.ts';

/** Gives a report to the host, and answers the provider. A report about an instance that was erased is acknowledged. */
export async function reportDelivery(
  { host }: Pick<ChannelContext, 'host'>,
  report: DeliveryReport,
): Promise<Response> {
  try {
    await host.reportDelivery(report);
  } catch (error) {
    const isRefused =
      error instanceof HostError &&
      ['host/unknown-instance', 'host/bad-request'].includes(error.code);
    if (!isRefused) throw error;
  }
  return acknowledged();
}
