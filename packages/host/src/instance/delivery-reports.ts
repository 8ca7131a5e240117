import { withoutSecrets } from '@dramaturg/compiler/secrets';

/** The fate of a message after its channel has accepted it. */
export type DeliveryStatus = 'delivered' | 'read' | 'failed';

/** The report of a provider about a message. */
export interface DeliveryReport {
  /** The instance that has sent the message: `OutgoingMessage.instance`. */
  readonly instance: string;
  /** `OutgoingMessage.id`. */
  readonly message: string;
  readonly status: DeliveryStatus;
  /** Why it has failed. */
  readonly reason?: string;
}

/** The latest report about a message, as its transcript line shows it. */
export type ReportedDelivery = {
  readonly status: DeliveryStatus;
  /** When it was reported, in milliseconds since 1970 UTC. */
  readonly at: number;
  readonly reason?: string;
};

/** A report in the state of an instance. */
export type StoredReport = ReportedDelivery & { readonly message: string };

/** The number of messages whose reports are in the snapshot. The journal has all reports. */
const messagesMax = 100;

/** Providers report in any order. A later status is stronger: a message that was read has not failed. */
const strength: Readonly<Record<DeliveryStatus, number>> = { failed: 1, delivered: 2, read: 3 };

/** Removes secrets from the reason of a report, which may come from a provider. */
export function reportWithoutSecrets<Report extends Pick<DeliveryReport, 'reason'>>(
  report: Report,
): Report {
  const { reason } = report;
  return reason === undefined ? report : { ...report, reason: withoutSecrets(reason) };
}

/** Whether a report says more than earlier ones. */
export function isNewReport(
  reports: readonly StoredReport[] = [],
  { message, status }: Pick<StoredReport, 'message' | 'status'>,
): boolean {
  const known = reports.find((report) => report.message === message);
  return !known || strength[known.status] < strength[status];
}

/** Replaces the report about a message. */
export function withReport(
  reports: readonly StoredReport[] = [],
  report: StoredReport,
): readonly StoredReport[] {
  const others = reports.filter(({ message }) => message !== report.message);
  return [...others, report].slice(-messagesMax);
}
