/**
 * Breaks of StockTrim: what is deleted there, and what is believed of its answers.
 *
 * @module
 */

import type { Mutant } from "../mutant.ts";

const OUTCOME = ["tests/unit/apps/stocktrim/outcome_test.ts"];
const DELETE = ["tests/protocol/stocktrim_delete_test.ts", "tests/scenario/stocktrim_test.ts"];
const TRANSPORT = ["tests/unit/apps/stocktrim/transport_test.ts"];

/** Breaks of `src/apps/stocktrim`. */
export const STOCKTRIM: readonly Mutant[] = [
  {
    id: "stock-delete-believed",
    file: "src/apps/stocktrim/declare.ts",
    find: "  if (!there) return;\n",
    replace: "  if (there || !there) return;\n",
    harm: "What is still there counts as deleted.",
    tests: [...OUTCOME, ...DELETE],
  },
  {
    id: "stock-unknown-is-done",
    file: "src/apps/stocktrim/declare.ts",
    find: 'if (outcome.state === "done") return outcome.value;',
    replace:
      'if (outcome.state === "done") return outcome.value;\n  if (outcome.state === "unknown") return null;',
    harm: "A change of which nobody knows whether it happened is told as done.",
    tests: [...OUTCOME, ...DELETE],
  },
  {
    id: "stock-change-sent-without-time",
    file: "src/apps/stocktrim/client/transport.ts",
    find: "    if (this.#left() < LEAST_FOR_CHANGE_MS) {\n",
    replace: "    if (this.#left() < -LEAST_FOR_CHANGE_MS) {\n",
    harm: "A change begins that can only be cut off.",
    tests: TRANSPORT,
  },
  {
    id: "stock-post-again",
    file: "src/apps/stocktrim/client/transport.ts",
    find: 'operation.method === "GET" && mayPass(result)',
    replace: "mayPass(result)",
    harm: "What is no plain question is sent again by itself.",
    tests: TRANSPORT,
  },
  {
    id: "stock-gateway-is-failure",
    file: "src/apps/stocktrim/client/transport.ts",
    find: "    if (GATEWAY.includes(result.status)) {\n",
    replace: "    if (GATEWAY.includes(-result.status)) {\n",
    harm: "A change that may have been made is told as failed, and made twice.",
    tests: [...TRANSPORT, ...OUTCOME],
  },
  {
    id: "stock-delete-without-filter",
    file: "src/apps/stocktrim/client/transport.ts",
    find: '(given.length === 0 || given.some(([, value]) => String(value).trim() === ""))',
    replace: '(given.length === 0 && given.some(([, value]) => String(value).trim() === ""))',
    harm: "A whole collection is deleted.",
    tests: TRANSPORT,
  },
  {
    id: "stock-orders-unseen",
    file: "src/apps/stocktrim/sales_order.ts",
    find:
      'orders_sha256: sha256(orders.map((order) => JSON.stringify(order)).toSorted().join("\\n")),',
    replace: 'orders_sha256: sha256(""),',
    harm: "Orders that changed after the preview are deleted unseen.",
    tests: DELETE,
  },
  {
    id: "stock-delete-another-product",
    file: "src/apps/stocktrim/product.ts",
    find: "(await stocktrim.products.get(id))?.productId === id,",
    replace: "false,",
    harm: "A product that is still there counts as deleted.",
    tests: DELETE,
  },
  {
    id: "stock-supplier-ambiguous",
    file: "src/apps/stocktrim/supplier.ts",
    find: "      await requireUnambiguous(stocktrim, found);\n",
    replace: "",
    harm: "Of two suppliers with one name the wrong one is deleted.",
    tests: DELETE,
  },
];
