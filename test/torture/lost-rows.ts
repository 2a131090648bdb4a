import type { Service } from '../support/service.ts';

const SHOWN = 5;

/** Statements that show all that is stored about a message, by the number of its recipient. */
const ROWS: Record<string, string> = {
  submission: `SELECT s.* FROM submission s WHERE s.recipients @> ARRAY[$1]`,
  ready_sms: `SELECT r.* FROM ready_sms r JOIN submission s USING (id) WHERE s.recipients @> ARRAY[$1]`,
  ready_batch: `SELECT b.* FROM ready_batch b JOIN submission s ON s.id = ANY(b.ids) WHERE s.recipients @> ARRAY[$1]`,
  message: `SELECT m.* FROM message m WHERE m.recipient = $1`,
  message_event: `SELECT e.* FROM message_event e JOIN message m USING (submission_id, n) WHERE m.recipient = $1`,
  push: `SELECT p.* FROM push p JOIN message_event e ON e.id = p.report_id JOIN message m USING (submission_id, n)
          WHERE m.recipient = $1`,
  verification: `SELECT v.* FROM verification v WHERE v.recipient = $1`,
};

/** Prints the rows of the first lost messages: where each of them stopped. */
export async function describeLost(service: Service, flow: string, lost: readonly string[]): Promise<void> {
  for (const recipient of lost.slice(0, SHOWN)) {
    console.log(`\nlost, ${flow}, ${recipient}`);
    for (const [table, sql] of Object.entries(ROWS)) {
      const rows = await service
        .query<object>(sql.replace('$1', `'${recipient}'`))
        .catch((error: Error) => [{ error: error.message }]);
      for (const row of rows) console.log(`  ${table}: ${JSON.stringify(row)}`);
    }
  }
}
