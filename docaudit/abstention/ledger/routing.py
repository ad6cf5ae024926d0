"""Where a failure is repaired: a decision table from what was seen to the layer, in the order of repair."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from docaudit.abstention.ledger.vocabulary import Layer


class Symptom(StrEnum):
    """What was seen in a run, in the order in which it is looked at: what stands first is repaired first."""

    CROSSED = "restricted_material_crossed"
    INELIGIBLE = "ineligible_document_selected"
    NOT_INDEXED = "evidence_not_in_index"
    NOT_CANDIDATE = "evidence_in_index_not_candidate"
    NOT_IN_CONTEXT = "evidence_candidate_not_in_context"
    CLAIM = "context_sufficient_claim_not_supported"
    BEHAVIOUR = "wrong_behaviour"
    CITATION = "citation_does_not_resolve"

    @property
    def layer(self) -> Layer:
        """The layer that it belongs to."""
        return _ROUTES[self][0]

    @property
    def repair(self) -> str:
        """What to do first."""
        return _ROUTES[self][1]


_ROUTES = {
    Symptom.CROSSED: (
        Layer.SECURITY,
        "stop before any tuning of relevance; repair authorisation and isolation, and treat it as an incident",
    ),
    Symptom.INELIGIBLE: (Layer.CORPUS, "repair metadata and filters before ranking"),
    Symptom.NOT_INDEXED: (Layer.PARSING, "repair ingestion: parsing, structure, chunks"),
    Symptom.NOT_CANDIDATE: (Layer.RETRIEVAL, "repair query, filters, ranking or reranking"),
    Symptom.NOT_IN_CONTEXT: (Layer.CONTEXT, "repair truncation, deduplication, order or neighbours"),
    Symptom.CLAIM: (Layer.GENERATION, "repair the instructions: claims stay within the evidence sent"),
    Symptom.BEHAVIOUR: (
        Layer.GENERATION,
        "repair the policy of answers: what to do with which answerability",
    ),
    Symptom.CITATION: (Layer.CITATION, "repair the mapping, display or access of citations"),
}


def route(symptoms: Collection[Symptom]) -> tuple[Symptom, ...]:
    """The symptoms in the order of repair, each once; the first names the layer to begin with.

    >>> route([Symptom.CITATION, Symptom.NOT_CANDIDATE])[0].layer.value
    'retrieval'
    """
    return tuple(symptom for symptom in Symptom if symptom in symptoms)
