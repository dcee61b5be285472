/**
 * A supplier as answers show it.
 *
 * @module
 */

import type { Supplier } from "../client/records.ts";
import { shown } from "../shown.ts";

/** A supplier as answers show it; null is what the service does not say. */
export interface SupplierView {
  readonly code: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly primary_contact: string | null;
  readonly default_lead_time_days: number | null;
  readonly street_address: string | null;
  readonly address_line_1: string | null;
  readonly address_line_2: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly post_code: string | null;
}

/** A supplier as answers show it. */
export function supplierView(supplier: Supplier): SupplierView {
  return {
    code: supplier.supplierCode,
    name: supplier.supplierName,
    email: supplier.emailAddress,
    primary_contact: supplier.primaryContactName,
    default_lead_time_days: supplier.defaultLeadTime,
    street_address: supplier.streetAddress,
    address_line_1: supplier.addressLine1,
    address_line_2: supplier.addressLine2,
    state: supplier.state,
    country: supplier.country,
    post_code: supplier.postCode,
  };
}

/** A supplier in a few lines, for an answer or a question about it. */
export function supplierLines(supplier: SupplierView): readonly string[] {
  const days = supplier.default_lead_time_days;
  return [
    `Name: ${shown(supplier.name, "Unnamed Supplier")}`,
    `Code: ${shown(supplier.code, "none")}`,
    `Contact: ${shown(supplier.primary_contact ?? supplier.email, "No contact")}`,
    `Lead time: ${days === null ? "unknown" : `${days} days`}`,
  ];
}
