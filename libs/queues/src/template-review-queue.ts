/** Templates whose newest version waits for a review. */
export const TEMPLATE_REVIEW_QUEUE = 'template-review';

export interface TemplateReviewJob {
  templateIds: string[];
}

export const TEMPLATE_REVIEW_JOB_WEIGHT = 100;
