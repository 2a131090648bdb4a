/** Delivery reports to apply and push. */
export const REPORT_QUEUE = 'dlr';

export interface ReportJob {
  reportIds: string[];
}

export const REPORT_JOB_WEIGHT = 250;
